import { Worker } from "node:worker_threads";
import { createGate, type Place } from "../../async/gate.ts";
import { untilAborted } from "../../async/until-aborted.ts";
import { findWorkerFile } from "../../async/worker-file.ts";
import { SourceError } from "../../core/source.ts";
import type { OpenApiOptions, ReadOpenApi } from "./read-openapi.ts";

/** The input of the thread: a file, which it opens itself, or the bytes of a document from a URL. */
export interface ThreadInput {
  readonly document: { readonly path: string; readonly writtenAs: string } | { readonly bytes: ArrayBuffer };
  readonly options: OpenApiOptions;
}

export interface ThreadReading {
  readonly read: ReadOpenApi;
  /** The files that were read, each with its mark. */
  readonly files: ReadonlyMap<string, string>;
  /** Of their content. Empty if there are none. */
  readonly hash: string;
}

/** What the thread sends for each input. */
export type ThreadAnswer = ThreadReading | { readonly refused: string; readonly files: ReadonlyMap<string, string> };

/** A refused document, with the files whose change may correct it. */
export class DocumentError extends SourceError {
  readonly files: ReadonlyMap<string, string>;

  constructor(reason: string, files: ReadonlyMap<string, string>) {
    super(reason);
    this.files = files;
  }
}

/**
 * Reads a document in another thread: a large one takes a second, and calls of other tools must not wait for it.
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
  let place: Place | undefined;
  const slot = new Promise<void>((resolve) => {
    place = threads.wait(() => {
      isIn = true;
      resolve();
    });
  });
  try {
    await untilAborted(slot, signal);
  } catch (error) {
    if (isIn) threads.leave();
    else place?.giveUp();
    throw error;
  }
}

/** The start of a thread takes a fifth of a second of CPU: one that has read a document waits this long for another. */
const idleMs = 1000;
const idle = new Map<Worker, NodeJS.Timeout>();

function read(input: ThreadInput, signal: AbortSignal): Promise<ThreadReading> {
  return new Promise((resolve, reject) => {
    const worker = takeIdle() ?? startThread();
    const leave = (): void => {
      signal.removeEventListener("abort", onAbort);
      removeListeners(worker);
    };
    const fail = (error: Error): void => {
      leave();
      // It may run out of memory before it has ended.
      worker.on("error", () => undefined);
      void worker.terminate();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.once("error", (error: NodeJS.ErrnoException) => fail(toSourceError(error)));
    worker.once("exit", () => fail(new SourceError("the document could not be read")));
    worker.once("message", (answer: ThreadAnswer) => {
      leave();
      keepIdle(worker);
      if ("refused" in answer) reject(new DocumentError(answer.refused, answer.files));
      else resolve(answer);
    });
    worker.postMessage(input, "bytes" in input.document ? [input.document.bytes] : []);
  });
}

function startThread(): Worker {
  const worker = new Worker(findWorkerFile("reader-thread", import.meta.url), {
    name: "openapi-reader",
    // Modules of --import, such as an OpenTelemetry SDK, must not load there.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 2048 },
  });
  worker.unref();
  return worker;
}

function takeIdle(): Worker | undefined {
  for (const [worker, timer] of idle) {
    clearTimeout(timer);
    idle.delete(worker);
    removeListeners(worker);
    return worker;
  }
  return undefined;
}

/** Ours alone: a worker has listeners of Node's own for other events. */
function removeListeners(worker: Worker): void {
  for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
}

function keepIdle(worker: Worker): void {
  const end = (): void => {
    clearTimeout(idle.get(worker));
    idle.delete(worker);
    void worker.terminate();
  };
  worker.once("error", end);
  worker.once("exit", end);
  idle.set(worker, setTimeout(end, idleMs).unref());
}

function toSourceError(error: NodeJS.ErrnoException): Error {
  if (error.code === "ERR_WORKER_OUT_OF_MEMORY") return new SourceError("the document takes too much memory");
  return error;
}
