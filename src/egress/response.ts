import { pipeline, type Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { UpstreamError } from "../errors/errors.ts";
import { type UpstreamAnswer, toFault, tooLarge } from "./send.ts";

export interface ResponseMeta {
  readonly url: string;
  readonly redirected: boolean;
  readonly method: string;
  /** Decoded bytes that are read at most. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

const bodilessStatuses = new Set([204, 205, 304]);
const maxCodings = 5;

/**
 * An answer as a global Response, its body decoded and bounded.
 * @throws UpstreamError where it is none that a Response can hold, or is too large by its own words
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
    return tellOrigin(new Response(null, init), meta);
  }
  const codings = readCodings(headers.get("content-encoding"));
  if (codings.length > maxCodings)
    throw discard(answer, new UpstreamError("The service behind the tool encoded its answer too many times."));
  if (codings.length === 0 && Number(headers.get("content-length")) > meta.maxBytes) throw discard(answer, tooLarge());
  return tellOrigin(new Response(toStream(decode(answer.body, codings), meta), init), meta);
}

/** Says where it came from, which the constructor of the global Response takes no word of. */
function tellOrigin(response: Response, meta: ResponseMeta): Response {
  return Object.defineProperties(response, {
    url: { value: meta.url },
    redirected: { value: meta.redirected },
    clone: { value: () => tellOrigin(Response.prototype.clone.call(response), meta) },
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

/** Outermost first. One that is not known leaves the body as it came, as fetch does. */
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
  // A fault of either side reaches the other, and the reader.
  for (const coding of codings)
    decoded = pipeline(decoded, decoders[coding](), () => undefined).on("error", () => undefined);
  return decoded;
}

/** Ends what nobody can read any more, which would hold its connection for ever. */
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
      // Copied, for the stream takes the memory over, and the connection still reads from it.
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
