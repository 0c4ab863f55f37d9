import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { CallError } from "../core/errors.ts";
import { type JsonDocument, JsonSyntaxError, parseJson } from "../core/json.ts";
import { type Exchange, header } from "./exchange.ts";

/**
 * The JSON that a request holds; an empty body is `{}`.
 * @throws CallError `bad_request`, `body_too_large`, `unsupported_media_type`, or `cancelled` where the client left
 */
export async function readJsonBody(exchange: Exchange, maxBytes: number): Promise<JsonDocument> {
  const encoding = header(exchange, "content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new CallError("unsupported_media_type", "A body with a content-encoding is not taken. Send it as it is.");
  }
  if (Number(exchange.headers["content-length"]) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await readBytes(exchange, maxBytes);
  if (bytes.length === 0) return { value: {}, refusals: [] };
  checkMediaType(exchange);
  return parseBytes(bytes);
}

/** @throws CallError `bad_request` where the document holds what Toolhost refuses */
export function refuseAny(document: JsonDocument): unknown {
  const [refusal] = document.refusals;
  if (refusal === undefined) return document.value;
  const place = refusal.path === "" ? "the root" : refusal.path;
  throw new CallError("bad_request", `The body is refused at ${place}: ${refusal.reason}.`);
}

function parseBytes(bytes: Buffer): JsonDocument {
  if (!isUtf8(bytes)) throw new CallError("bad_request", "The body is not UTF-8.");
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    return parseJson(bytes.toString("utf8", hasByteOrderMark ? 3 : 0));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new CallError("bad_request", `The body cannot be read. ${error.message}`);
  }
}

const jsonMediaType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*;?$/i;

function checkMediaType(exchange: Exchange): void {
  const type = header(exchange, "content-type");
  if (type === "application/json" || (type !== undefined && jsonMediaType.test(type))) return;
  throw new CallError("unsupported_media_type", "The body must be sent with content-type: application/json, in UTF-8.");
}

function tooLarge(maxBytes: number): CallError {
  return new CallError("body_too_large", `The body is larger than ${maxBytes} bytes.`);
}

async function readBytes(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  if (exchange.incoming !== undefined) return readIncoming(exchange.incoming, maxBytes);
  const body = await exchange.request?.arrayBuffer();
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

function readIncoming(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        incoming.pause();
        reject(tooLarge(maxBytes));
        return;
      }
      chunks.push(chunk);
    });
    incoming.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    incoming.on("error", () => reject(new CallError("cancelled", "The client left before it had sent the body.")));
  });
}
