import { Worker } from "node:worker_threads";
import { createGate } from "../../async/gate.ts";
import { untilAborted } from "../../async/until-aborted.ts";
import { findWorkerFile } from "../../async/worker-file.ts";
import { SourceError } from "../../core/source.ts";
import type { OpenApiOptions, ReadOpenApi } from "./read-openapi.ts";

/** What the thread reads: a file, which it opens itself, or the bytes of a document from a URL. */
export interface ThreadInput {
  readonly document: { readonly path: string } | { readonly bytes: ArrayBuffer };
  readonly options: OpenApiOptions;
}

export interface ThreadReading {
  readonly read: ReadOpenApi;
  /** The files that were read, each with its mark. */
  readonly files: ReadonlyMap<string, string>;
}

/** What the thread sends, once. */
export type ThreadAnswer = ThreadReading | { readonly refused: string; readonly files: ReadonlyMap<string, string> };

/** A refused document, with the files whose change may mend it. */
export class DocumentError extends SourceError {
  readonly files: ReadonlyMap<string, string>;

  constructor(reason: string, files: ReadonlyMap<string, string>) {
    super(reason);
    this.files = files;
  }
}

/**
 * Reads a document in a thread of its own: a large one takes a second, and calls of other tools must not wait for it.
 * @throws DocumentError if the document is refused; SourceError if the thread fails
 */
export async function readInThread(input: ThreadInput, signal: AbortSignal): Promise<ThreadReading> {
  await waitForSlot(signal);
  try {
    return await read(input, signal);
  } finally {
    threads.leave();
  }
}

/** Each may take much memory, and all sources are read at once when the service starts. */
const threads = createGate(2);

async function waitForSlot(signal: AbortSignal): Promise<void> {
  if (threads.enter()) return;
  let isIn = false;
  const slot = new Promise<void>((resolve) => {
    const place = threads.wait(() => {
      isIn = true;
      resolve();
    });
    signal.addEventListener("abort", place.giveUp, { once: true });
  });
  try {
    await untilAborted(slot, signal);
  } catch (error) {
    if (isIn) threads.leave();
    throw error;
  }
}

function read({ document, options }: ThreadInput, signal: AbortSignal): Promise<ThreadReading> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(findWorkerFile("reader-thread", import.meta.url), {
      name: "openapi-reader",
      workerData: { document, options } satisfies ThreadInput,
      transferList: "bytes" in document ? [document.bytes] : [],
      // Modules of --import, such as an OpenTelemetry SDK, must not load there.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 2048 },
    });
    const end = (settle: () => void): void => {
      signal.removeEventListener("abort", onAbort);
      void worker.terminate();
      settle();
    };
    const onAbort = (): void => end(() => reject(signal.reason as Error));
    signal.addEventListener("abort", onAbort, { once: true });
    worker.once("message", (answer: ThreadAnswer) =>
      end(() => ("refused" in answer ? reject(new DocumentError(answer.refused, answer.files)) : resolve(answer))),
    );
    worker.once("error", (error: NodeJS.ErrnoException) => end(() => reject(toSourceError(error))));
    worker.once("exit", () => end(() => reject(new SourceError("the document could not be read"))));
    worker.unref();
  });
}

function toSourceError(error: NodeJS.ErrnoException): Error {
  if (error.code === "ERR_WORKER_OUT_OF_MEMORY") return new SourceError("the document takes too much memory");
  return error;
}
