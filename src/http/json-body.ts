import type { IncomingMessage } from "node:http";
import type { HonoRequest } from "hono";
import { CallError } from "../core/errors.ts";
import type { JsonDocument, JsonSource } from "../core/json.ts";
import { BodyMessage, type BodyTaker } from "./body-message.ts";
import { type Exchange, header } from "./exchange.ts";
import { type BodyLimits, ReceivedBody, tooLarge, tooManyBytes } from "./received-body.ts";

/** Is given the document, with its text if that was asked for. What it throws is handed to {@link RefuseBody}. */
export type TakeDocument = (source: JsonSource) => void;
/** Called once, and not after the document was taken, but for what that threw. Is given a CallError: `bad_request`, `body_too_large`, `unsupported_media_type`, `overloaded`, or `cancelled` where the client left. */
export type RefuseBody = (error: unknown) => void;

/**
 * The JSON that a request holds; an empty body is `{}`.
 * @throws CallError `unsupported_media_type`, `body_too_large`, `overloaded` for what the headers say already
 */
export function takeJsonBody(
  exchange: Exchange,
  limits: BodyLimits,
  refuse: RefuseBody,
  take: TakeDocument,
  keepsText = false,
): void {
  if (exchange.headers["content-encoding"] !== undefined) {
    throw new CallError("unsupported_media_type", "A body with a content-encoding is not taken. Send it as it is.");
  }
  const coding = exchange.headers["transfer-encoding"];
  // Node takes whatever ends with chunked, and hands over what the other codings made of the body.
  if (coding !== undefined && coding !== "chunked" && String(coding).trim().toLowerCase() !== "chunked") {
    throw new CallError("unsupported_media_type", "A body with a transfer-encoding other than chunked is not taken.");
  }
  const { maxBytes, held } = limits;
  const length = Number(exchange.headers["content-length"]);
  if (length > maxBytes) throw tooLarge(maxBytes);
  if (held.bytes + length > held.max) throw tooManyBytes();
  let isOver = false;
  const fail = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    body.release();
    refuse(error);
  };
  const body = new ReceivedBody(limits, keepsText, fail);
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    try {
      const source = body.read();
      // From here on it is the arguments that take room, and calls have limits of their own.
      body.release();
      take(source);
    } catch (fault) {
      body.release();
      refuse(fault);
    }
  };
  const takeChunk: BodyTaker = (chunk, error) => {
    // What follows of a body that is refused is dropped as it comes.
    if (isOver || body.hasEnded) return;
    try {
      if (error !== undefined) throw new CallError("cancelled", "The client left before it had sent the body.");
      if (chunk !== null) return body.write(chunk);
      if (body.length > 0) checkMediaType(exchange);
      body.end(finish);
    } catch (fault) {
      fail(fault);
    }
  };
  const { incoming } = exchange;
  if (incoming === undefined) return void readRequest(exchange, takeChunk).catch(fail);
  // A client that waits to be asked for the body is asked now, when nothing stands against it any more.
  if (incoming.headers.expect !== undefined && incoming.httpVersion !== "1.0") exchange.outgoing?.writeContinue();
  if (!(incoming instanceof BodyMessage && incoming.takeBody(takeChunk))) listen(incoming, takeChunk);
}

/** {@link takeJsonBody} as a promise. */
export function readJsonBody(exchange: Exchange, limits: BodyLimits): Promise<JsonDocument> {
  return new Promise((resolve, reject) => takeJsonBody(exchange, limits, reject, resolve));
}

/** {@link takeJsonBody} as a promise, with the source of the document. */
export function readJsonSource(exchange: Exchange, limits: BodyLimits): Promise<JsonSource> {
  return new Promise((resolve, reject) => takeJsonBody(exchange, limits, reject, resolve, true));
}

/** @throws CallError `bad_request` where the document holds what Toolhost refuses */
export function refuseAny(document: JsonDocument): unknown {
  const [refusal] = document.refusals;
  if (refusal === undefined) return document.value;
  const place = refusal.path === "" ? "the root" : refusal.path;
  throw new CallError("bad_request", `The body is refused at ${place}: ${refusal.reason}.`);
}

const jsonMediaType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*;?$/i;

function checkMediaType(exchange: Exchange): void {
  const type = header(exchange, "content-type");
  if (type === "application/json" || (type !== undefined && jsonMediaType.test(type))) return;
  throw new CallError("unsupported_media_type", "The body must be sent with content-type: application/json, in UTF-8.");
}

async function readRequest(exchange: Exchange, take: BodyTaker): Promise<void> {
  const { request } = exchange;
  if (request?.raw.bodyUsed === true) take(await readKept(request));
  else {
    let isEmpty = true;
    for await (const chunk of request?.raw.body ?? []) {
      isEmpty = false;
      take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    }
    if (isEmpty && Number(exchange.headers["content-length"]) > 0) throw readElsewhere();
  }
  take(null);
}

/** A middleware outside may have read the body; Hono keeps what is read through it. */
async function readKept(request: HonoRequest): Promise<Buffer> {
  try {
    return Buffer.from(await request.arrayBuffer());
  } catch {
    throw readElsewhere();
  }
}

function readElsewhere(): CallError {
  return new CallError(
    "bad_request",
    "The body was read before Toolhost got the request: mount it in front of what reads bodies, such as express.json().",
  );
}

function listen(incoming: IncomingMessage, take: BodyTaker): void {
  // Its client left before anybody listened: nothing more is told of it.
  if (incoming.destroyed) return take(null, new Error("the connection ended"));
  incoming.on("data", take);
  incoming.on("end", () => take(null));
  incoming.on("error", (error) => take(null, error));
}
