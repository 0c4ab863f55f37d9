import { CallError } from "../errors/errors.ts";

export type OutgoingBody = string | Uint8Array | AsyncIterable<Uint8Array>;

/** One request, taken apart so that it can be sent, and sent again on a redirect. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** A text or bytes can be sent again, a stream cannot. */
  readonly body: OutgoingBody | undefined;
}

/** What concerns the connection is the sender's business, as in browsers (fetch standard, forbidden request-headers). */
const ownHeaders = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** A body up to this size is held, so that its length can be told and a redirect can be followed. */
const maxHeldBytes = 1_048_576;

/**
 * What was asked for, read from the arguments of `fetch` by the global Request, whatever body that takes.
 * @throws TypeError where they are none that `fetch` takes
 * @throws CallError `egress_blocked` where the URL is no http or https one
 */
export async function toOutgoing(
  request: Request,
  init: RequestInit | undefined,
  signal?: AbortSignal,
): Promise<Outgoing> {
  const url = new URL(request.url);
  refuseOtherSchemes(url);
  const headers = new Headers(request.headers);
  for (const name of ownHeaders) headers.delete(name);
  if (!headers.has("accept")) headers.set("accept", "*/*");
  if (!headers.has("user-agent")) headers.set("user-agent", "toolhost");
  // A range of an encoded answer could not be decoded.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", headers.has("range") ? "identity" : "gzip, br");
  return { method: request.method, url, headers, body: await readBody(request, init, signal) };
}

/** @throws CallError `egress_blocked`: no scheme but http and https goes out, and none reads what is on the machine. */
export function refuseOtherSchemes({ protocol }: URL): void {
  if (protocol === "http:" || protocol === "https:") return;
  throw new CallError(
    "egress_blocked",
    `Only http and https addresses can be reached, and this one begins with ${protocol}`,
  );
}

async function readBody(
  request: Request,
  init: RequestInit | undefined,
  signal: AbortSignal | undefined,
): Promise<OutgoingBody | undefined> {
  if (request.body === null) return undefined;
  const given: unknown = init?.body;
  if (typeof given === "string") return given;
  const isStream = typeof given === "object" && given !== null && Symbol.asyncIterator in given;
  if (isStream) return readChunks(request.body, signal);
  if (given != null) return new Uint8Array(await request.arrayBuffer());
  return readAhead(readChunks(request.body, signal));
}

/** The body of a Request, which does not tell what it was made from: a text mostly, and seldom a stream. */
async function readAhead(body: AsyncGenerator<Uint8Array>): Promise<OutgoingBody> {
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes <= maxHeldBytes; bytes += chunks.at(-1)!.byteLength) {
    const { done, value } = await body.next();
    if (done === true) return Buffer.concat(chunks);
    chunks.push(value);
  }
  return follow(chunks, body);
}

async function* follow(chunks: readonly Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
  yield* rest;
}

/** What a stream gives. It is told when nobody will read on, also while it gives nothing. */
async function* readChunks(
  stream: ReadableStream<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      if (!(value instanceof Uint8Array)) throw new TypeError("The body is a stream of something that is not bytes.");
      yield value;
    }
  } catch (error) {
    throw signal?.aborted === true ? error : new BodyFault(error);
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

/** The tool's own stream failed, which is no fault of the other side. */
export class BodyFault extends Error {
  override readonly name = "BodyFault";

  constructor(cause: unknown) {
    super("The body could not be read.", { cause });
  }
}
