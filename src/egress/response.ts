import { pipeline, type Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { UpstreamError } from "../errors/errors.ts";
import { type UpstreamAnswer, toFault, tooLarge } from "./send.ts";

export interface ResponseMeta {
  readonly url: string;
  readonly redirected: boolean;
  readonly method: string;
  /** Maximum number of decoded bytes. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

const bodilessStatuses = new Set([204, 205, 304]);
const maxCodings = 5;

/**
 * A response as a global Response, with its body decoded and limited.
 * @throws UpstreamError if a Response cannot represent it, or its declared length is too large
 */
export function toResponse(answer: UpstreamAnswer, meta: ResponseMeta): Response {
  const { status, headers } = answer;
  const init = {
    status,
    headers,
    statusText: /^[\t\x20-\x7e\x80-\xff]*$/.test(answer.statusText) ? answer.statusText : "",
  };
  if (meta.method === "HEAD" || bodilessStatuses.has(status)) {
    answer.body.destroy();
    return withOrigin(new Response(null, init), meta);
  }
  const codings = readCodings(headers.get("content-encoding"));
  if (codings.length > maxCodings)
    throw discard(
      answer,
      new UpstreamError("The answer of the service behind the tool has too many content encodings."),
    );
  if (codings.length === 0 && Number(headers.get("content-length")) > meta.maxBytes) throw discard(answer, tooLarge());
  return withOrigin(new Response(toStream(decode(answer.body, codings), meta), init), meta);
}

/** Sets the URL of the response, which the constructor of the global Response does not accept. */
function withOrigin(response: Response, meta: ResponseMeta): Response {
  return Object.defineProperties(response, {
    url: { value: meta.url },
    redirected: { value: meta.redirected },
    clone: { value: () => withOrigin(Response.prototype.clone.call(response), meta) },
  });
}

function discard(answer: UpstreamAnswer, error: UpstreamError): UpstreamError {
  answer.body.destroy();
  return error;
}

const decoders = {
  br: createBrotliDecompress,
  deflate: createInflate,
  gzip: createGunzip,
  "x-gzip": createGunzip,
} as const;

/** Outermost first. An unknown coding leaves the body unchanged, as in fetch. */
function readCodings(header: string | null): (keyof typeof decoders)[] {
  const names = (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  return names.every((name): name is keyof typeof decoders => Object.hasOwn(decoders, name)) ? names.reverse() : [];
}

function decode(body: Readable, codings: readonly (keyof typeof decoders)[]): Readable {
  let decoded = body;
  // An error of either side reaches the other, and the reader.
  for (const coding of codings)
    decoded = pipeline(decoded, decoders[coding](), () => undefined).on("error", () => undefined);
  return decoded;
}

/** Destroys bodies that can no longer be read, which would keep their connections forever. */
const forgotten = new FinalizationRegistry((body: Readable) => void body.destroy());

function toStream(body: Readable, { maxBytes, signal }: ResponseMeta): ReadableStream {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let bytes = 0;
  const stream = new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const { done, value } = await read(chunks, signal);
      if (done === true) {
        controller.close();
        controller.byobRequest?.respond(0);
        return;
      }
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        body.destroy();
        throw tooLarge();
      }
      // Copied, because the stream takes over the memory and the connection still reads from it.
      controller.enqueue(new Uint8Array(value));
    },
    cancel: () => void body.destroy(),
  });
  forgotten.register(stream, body);
  return stream;
}

async function read(chunks: AsyncIterator<Buffer>, signal: AbortSignal | undefined): Promise<IteratorResult<Buffer>> {
  try {
    return await chunks.next();
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : toFault(error as Error);
  }
}
