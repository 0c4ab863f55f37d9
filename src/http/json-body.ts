import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { CallError } from "../core/errors.ts";
import { type JsonDocument, type JsonSource, JsonSyntaxError, parseJson } from "../core/json.ts";
import { BodyMessage, type BodyTaker } from "./body-message.ts";
import { type Exchange, header } from "./exchange.ts";

/** Is given the document and its source. What it throws is handed to {@link RefuseBody}. */
export type TakeDocument = (document: JsonDocument, text: string) => void;
/** Called once, and not after the document was taken, but for what that threw. Is given a CallError: `bad_request`, `body_too_large`, `unsupported_media_type`, or `cancelled` where the client left. */
export type RefuseBody = (error: unknown) => void;

/**
 * The JSON that a request holds, parsed where its last byte comes; an empty body is `{}`.
 * @throws CallError `unsupported_media_type`, `body_too_large` for what the headers say already
 */
export function takeJsonBody(exchange: Exchange, maxBytes: number, refuse: RefuseBody, take: TakeDocument): void {
  if (exchange.headers["content-encoding"] !== undefined) {
    throw new CallError("unsupported_media_type", "A body with a content-encoding is not taken. Send it as it is.");
  }
  const coding = exchange.headers["transfer-encoding"];
  // Node takes whatever ends with chunked, and hands over what the other codings made of the body.
  if (coding !== undefined && coding !== "chunked" && String(coding).trim().toLowerCase() !== "chunked") {
    throw new CallError("unsupported_media_type", "A body with a transfer-encoding other than chunked is not taken.");
  }
  if (Number(exchange.headers["content-length"]) > maxBytes) throw tooLarge(maxBytes);
  const { incoming } = exchange;
  if (incoming !== undefined) return readIncoming(exchange, incoming, maxBytes, refuse, take);
  readRequest(exchange, maxBytes)
    .then((bytes) => takeBytes(exchange, bytes, take))
    .catch(refuse);
}

/** {@link takeJsonBody} as a promise. */
export function readJsonBody(exchange: Exchange, maxBytes: number): Promise<JsonDocument> {
  return new Promise((resolve, reject) => takeJsonBody(exchange, maxBytes, reject, resolve));
}

/** {@link takeJsonBody} as a promise, with the source of the document. */
export function readJsonSource(exchange: Exchange, maxBytes: number): Promise<JsonSource> {
  return new Promise((resolve, reject) => {
    takeJsonBody(exchange, maxBytes, reject, (document, text) => resolve({ ...document, text }));
  });
}

/** @throws CallError `bad_request` where the document holds what Toolhost refuses */
export function refuseAny(document: JsonDocument): unknown {
  const [refusal] = document.refusals;
  if (refusal === undefined) return document.value;
  const place = refusal.path === "" ? "the root" : refusal.path;
  throw new CallError("bad_request", `The body is refused at ${place}: ${refusal.reason}.`);
}

function takeBytes(exchange: Exchange, bytes: Buffer, take: TakeDocument): void {
  const text = readText(exchange, bytes);
  take(parseText(text), text);
}

function readText(exchange: Exchange, bytes: Buffer): string {
  if (bytes.length === 0) return "{}";
  checkMediaType(exchange);
  if (!isUtf8(bytes)) throw new CallError("bad_request", "The body is not UTF-8.");
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString("utf8", hasByteOrderMark ? 3 : 0);
}

function parseText(text: string): JsonDocument {
  try {
    return parseJson(text);
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

async function readRequest(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const { request } = exchange;
  // A middleware outside may have read the body; Hono keeps what it read.
  if (request?.raw.bodyUsed === true) return Buffer.from(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request?.raw.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readIncoming(
  exchange: Exchange,
  incoming: IncomingMessage,
  maxBytes: number,
  refuse: RefuseBody,
  take: TakeDocument,
): void {
  let body: Buffer = noBytes;
  let length = 0;
  // What follows of a body that is too large is let go of as it comes.
  let isOver = false;
  const takeChunk: BodyTaker = (chunk, error) => {
    if (isOver) return;
    if (error !== undefined) return end(new CallError("cancelled", "The client left before it had sent the body."));
    if (chunk === null) return finish();
    const start = length;
    length += chunk.length;
    if (length > maxBytes) return end(tooLarge(maxBytes));
    if (start === 0) body = chunk;
    else body = append(body, start, chunk);
  };
  // A client that waits to be asked for the body is asked now, when nothing stands against it any more.
  if (incoming.headers.expect !== undefined) exchange.outgoing?.writeContinue();
  if (!(incoming instanceof BodyMessage && incoming.takeBody(takeChunk))) listen(incoming, takeChunk);

  function end(error: CallError): void {
    isOver = true;
    refuse(error);
  }

  function finish(): void {
    isOver = true;
    try {
      takeBytes(exchange, body.length === length ? body : body.subarray(0, length), take);
    } catch (fault) {
      refuse(fault);
    }
  }
}

const noBytes = Buffer.alloc(0);

/** Copied together as they come: kept apart, bodies in pieces of one byte would take a hundred times their size. */
function append(body: Buffer, length: number, chunk: Buffer): Buffer {
  const needed = length + chunk.length;
  let grown = body;
  // The first piece is the parser's own memory, with no room behind it that is ours.
  if (needed > body.length) {
    grown = Buffer.allocUnsafeSlow(Math.max(needed, body.length * 2));
    body.copy(grown, 0, 0, length);
  }
  chunk.copy(grown, length);
  return grown;
}

function listen(incoming: IncomingMessage, take: BodyTaker): void {
  // Its client left before anybody listened: nothing more is told of it.
  if (incoming.destroyed) return take(null, new Error("the connection ended"));
  incoming.on("data", take);
  incoming.on("end", () => take(null));
  incoming.on("error", (error) => take(null, error));
}
