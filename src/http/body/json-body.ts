import { describeRefusal } from "../../json/refusals.ts";
import type { IncomingMessage } from "node:http";
import type { HonoRequest } from "hono";
import { CallError } from "../../errors/errors.ts";
import type { JsonDocument, JsonSource } from "../../json/parse.ts";
import { BodyMessage, type BodyTaker } from "../node/body-message.ts";
import type { Exchange } from "../exchange.ts";
import { type BodyHandler, type BodyLimits, ReceivedBody, tooLarge, tooManyBytes } from "./received-body.ts";

/**
 * Reads the JSON of a request; an empty body is `{}`.
 * @throws CallError `unsupported_media_type`, `body_too_large`, `overloaded` for what the headers say already
 */
export function takeJsonBody(exchange: Exchange, limits: BodyLimits, handler: BodyHandler, keepsText = false): void {
  if (exchange.headers["content-encoding"] !== undefined) {
    throw new CallError(
      "unsupported_media_type",
      "A body with a content-encoding is not accepted. Send the body without an encoding.",
    );
  }
  const coding = exchange.headers["transfer-encoding"];
  // Node accepts every value that ends with chunked, and passes on the body with the other codings still applied.
  if (coding !== undefined && coding !== "chunked" && String(coding).trim().toLowerCase() !== "chunked") {
    throw new CallError(
      "unsupported_media_type",
      "A body with a transfer-encoding other than chunked is not accepted.",
    );
  }
  const { maxBytes, held, maxHeldBytes } = limits;
  const length = Number(exchange.headers["content-length"]);
  if (length > maxBytes) throw tooLarge(maxBytes);
  if (held.bytes + length > maxHeldBytes) throw tooManyBytes();
  const body = new ReceivedBody(exchange, limits, handler, keepsText);
  const { incoming } = exchange;
  if (incoming === undefined) return void readRequest(exchange, body).catch((error: unknown) => body.refuse(error));
  // A client that waits with its body until it is asked is asked now, after all checks of the headers.
  if (incoming.headers.expect !== undefined && incoming.httpVersion !== "1.0") exchange.outgoing?.writeContinue();
  if (!(incoming instanceof BodyMessage && incoming.takeBody(body))) listen(incoming, body);
}

/** {@link takeJsonBody} as a promise. */
export function readJsonBody(exchange: Exchange, limits: BodyLimits): Promise<JsonDocument> {
  return readSource(exchange, limits, false);
}

/** {@link takeJsonBody} as a promise, with the source of the document. */
export function readJsonSource(exchange: Exchange, limits: BodyLimits): Promise<JsonSource> {
  return readSource(exchange, limits, true);
}

function readSource(exchange: Exchange, limits: BodyLimits, keepsText: boolean): Promise<JsonSource> {
  return new Promise((takeDocument, refuseBody) =>
    takeJsonBody(exchange, limits, { takeDocument, refuseBody }, keepsText),
  );
}

/** @throws CallError `bad_request` if the document contains what Toolhost refuses */
export function refuseAny(document: JsonDocument): unknown {
  const [refusal] = document.refusals;
  if (refusal === undefined) return document.value;
  throw new CallError("bad_request", `The body is refused: ${describeRefusal(refusal)}.`);
}

async function readRequest(exchange: Exchange, body: BodyTaker): Promise<void> {
  const { request } = exchange;
  if (request?.raw.bodyUsed === true) body.take(await readKept(request));
  else {
    let isEmpty = true;
    for await (const chunk of request?.raw.body ?? []) {
      isEmpty = false;
      body.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (body.isFull) await new Promise<void>((resolve) => body.awaitRoom(resolve));
    }
    const { headers, wasRead } = exchange;
    const isMissing = Number(headers["content-length"]) > 0 || (wasRead && headers["transfer-encoding"] !== undefined);
    if (isEmpty && isMissing) throw readElsewhere();
  }
  body.take(null);
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
    "The body was read before Toolhost got the request: mount Toolhost before any middleware that reads bodies, such as express.json().",
    // No other arguments help.
    { action: "stop" },
  );
}

function listen(incoming: IncomingMessage, body: BodyTaker): void {
  // Its client left before there was a listener: no event follows.
  if (incoming.destroyed) return body.take(null, new Error("the connection ended"));
  if (incoming instanceof BodyMessage) incoming.readBy(body);
  incoming.on("data", (chunk: Buffer) => {
    body.take(chunk);
    if (!body.isFull) return;
    incoming.pause();
    body.awaitRoom(() => incoming.resume());
  });
  incoming.on("end", () => body.take(null));
  incoming.on("error", (error) => body.take(null, error));
}
