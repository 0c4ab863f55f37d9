import { CallError } from "../errors/errors.ts";

export type OutgoingBody = string | Uint8Array | AsyncIterable<Uint8Array>;

/** One request in parts, so that it can be sent, and sent again on a redirect. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** A text or bytes can be sent again; a stream cannot. */
  readonly body: OutgoingBody | undefined;
}

/** The sender sets the headers of the connection, as in browsers (fetch standard, forbidden request-headers). */
export const connectionHeaders: readonly string[] = [
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

/** A body up to this size is buffered, so that its length is known and a redirect can be followed. */
const maxHeldBytes = 1_048_576;

/**
 * The request, as the global Request reads it from the arguments of `fetch`, with any type of body.
 * @throws TypeError for arguments that `fetch` does not accept
 * @throws CallError `egress_blocked` if the URL is not http or https
 */
export async function toOutgoing(
  request: Request,
  init: RequestInit | undefined,
  signal?: AbortSignal,
): Promise<Outgoing> {
  const url = new URL(request.url);
  refuseOtherSchemes(url);
  const headers = new Headers(request.headers);
  for (const name of connectionHeaders) headers.delete(name);
  if (!headers.has("accept")) headers.set("accept", "*/*");
  if (!headers.has("user-agent")) headers.set("user-agent", "toolhost");
  // A range of an encoded response could not be decoded.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", headers.has("range") ? "identity" : "gzip, br");
  return { method: request.method, url, headers, body: await readBody(request, init, signal) };
}

/** @throws CallError `egress_blocked`: only http and https are sent, and no scheme reads local data. */
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

/** The body of a Request, which does not reveal what it was made from: mostly a text, rarely a stream. */
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

/** The chunks of a stream. The stream is cancelled if the reader stops, even while it yields nothing. */
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
      if (!(value instanceof Uint8Array)) throw new TypeError("The body is a stream, but its chunks are not bytes.");
      yield value;
    }
  } catch (error) {
    throw signal?.aborted === true ? error : new BodyFault(error);
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

/** The tool's own stream failed, so the other side is not at fault. */
export class BodyFault extends Error {
  override readonly name = "BodyFault";

  constructor(cause: unknown) {
    super("The body could not be read.", { cause });
  }
}
