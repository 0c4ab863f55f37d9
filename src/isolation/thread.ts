import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { findWorkerFile } from "../async/worker-file.ts";
import { CallError } from "../errors/errors.ts";
import type { LogLevel } from "../tool/log-level.ts";
import type { ToolContext } from "../tool/tool.ts";
import type { JsonObject } from "../json/object.ts";
import type { HeapWatch } from "./heap-watch.ts";
import { fromThrown } from "../errors/thrown.ts";
import { fromFailure } from "./thread-failure.ts";
import { type CallMessage, readThreadMessage, type ThreadMessage, type ThreadSettings } from "./thread-messages.ts";

/** One worker thread. It runs one call at a time; if a call is stopped, its thread ends too. */
export interface Thread {
  /** Whether the module is loaded. */
  readonly isReady: boolean;
  /** Starts a call as soon as the thread is ready. Only allowed if it runs none. */
  run(args: JsonObject, context: ToolContext): Promise<unknown>;
  /** Ends it immediately. A call that it runs fails. */
  end(): void;
}

/** The events of a thread for its pool. */
export interface ThreadEvents {
  /** A call has ended, or was cancelled before the thread was ready: the thread can take another. */
  onFree(thread: Thread): void;
  /** It ended by itself, or because its call was stopped. Not called for {@link Thread.end}. */
  onGone(thread: Thread, during: "call" | "boot" | "idle", cause: unknown): void;
  /** The tool wrote to stdout or stderr, or to the log after the call had ended. */
  onOutput(level: LogLevel, text: string, callId: string | undefined): void;
}

interface PendingCall {
  readonly message: CallMessage;
  readonly context: ToolContext;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A module whose top level never ends is treated like one that fails. */
const bootLimitMs = 10_000;

/**
 * V8's own limit, far above the one that is watched. If one large allocation reaches it, for example when an array or a
 * map grows, V8 ends the process and not only the thread; 4 GiB is more than the largest of those can take.
 */
const backstopMb = 4096;

export function startThread(settings: ThreadSettings, heap: HeapWatch, events: ThreadEvents): Thread {
  const { port1: port, port2 } = new MessageChannel();
  const worker = new Worker(findWorkerFile("thread-worker", import.meta.url), {
    name: settings.name,
    workerData: { ...settings, port: port2 },
    transferList: [port2],
    // Output that bypasses the thread's own capture is discarded: stderr contains one line of JSON per entry. Reading
    // these streams would keep the process alive.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: backstopMb, maxYoungGenerationSizeMb: 16 },
  });
  let isReady = false;
  let isGone = false;
  let calls = 0;
  let call: PendingCall | undefined;
  const watched = heap.watch(worker, () => fail(new Error("the tool used more memory than its thread may use")));
  const bootTimer = setTimeout(() => fail(new Error("the module was not loaded in time")), bootLimitMs);

  worker.on("error", failLast);
  worker.on("exit", () => failLast(new Error("the tool ended its thread")));
  port.on("message", receive);
  port.on("messageerror", fail);
  // A thread does not keep the process alive; a call that waits for one does, by its time limit.
  bootTimer.unref();
  worker.unref();
  port.unref();

  const thread: Thread = {
    get isReady() {
      return isReady;
    },
    run(args, context) {
      const { callId, session } = context;
      const message = { id: ++calls, args, callId, ...(session !== undefined && { session }) };
      return new Promise((resolve, reject) => {
        call = { message, context, resolve, reject };
        context.signal.addEventListener("abort", stop, { once: true });
        if (isReady) start(call);
      });
    },
    end: () => leave(new Error("the thread was ended")),
  };
  return thread;

  function start({ message }: PendingCall): void {
    try {
      port.postMessage(message);
    } catch (error) {
      // The arguments come from a program that calls in this process: they contain a function, which cannot be sent to
      // a thread.
      takeCall()?.reject(error);
      events.onFree(thread);
      return;
    }
    watched.setBusy();
  }

  function receive(posted: unknown): void {
    const message = readThreadMessage(posted);
    if (message === undefined) fail(new Error("the thread sent something that is not a message"));
    else handle(message);
  }

  function handle(message: ThreadMessage): void {
    switch (message.kind) {
      case "ready":
        isReady = true;
        clearTimeout(bootTimer);
        if (call === undefined) watched.setIdle();
        else start(call);
        return;
      case "unusable":
        return fail(fromThrown(message.cause));
      case "output":
        return events.onOutput(message.level, message.text, call?.context.callId);
      case "log":
        return handleLog(message);
      default:
        // Late messages of a former call are ignored.
        if (message.id === call?.message.id) handleCall(message, call);
    }
  }

  function handleLog({ id, level, text, fields }: ThreadMessage & { kind: "log" }): void {
    if (id !== call?.message.id) return events.onOutput(level, text, undefined);
    call.context.log(level, text, fields === undefined ? undefined : (parse(fields) as JsonObject));
  }

  function handleCall(
    message: ThreadMessage & { kind: "progress" | "result" | "failure" },
    { context, resolve, reject }: PendingCall,
  ): void {
    if (message.kind === "progress") return context.progress(message.progress);
    try {
      const isOk = message.kind === "result";
      const value = isOk ? parse(message.text) : fromFailure(message.failure);
      takeCall();
      if (isOk) resolve(value);
      else reject(value);
    } catch (error) {
      return fail(error);
    }
    if (message.isSpoiled === true) replaceSpoiled();
    else events.onFree(thread);
  }

  function replaceSpoiled(): void {
    const reason = "the tool changed built-in objects of its thread, such as Object.keys: the thread is replaced";
    events.onOutput("warn", reason, undefined);
    leave(new Error(reason));
    events.onGone(thread, "call", new Error(reason));
  }

  /** The call was stopped from outside. */
  function stop(): void {
    const { signal } = call!.context;
    if (isReady) return fail(signal.reason);
    takeCall()?.reject(signal.reason);
    events.onFree(thread);
  }

  /**
   * The thread is gone. The exit event may arrive before its last message: a result, or the reason why it does not
   * load.
   */
  function failLast(cause: unknown): void {
    while (!isGone) {
      const posted = receiveMessageOnPort(port);
      if (posted === undefined) return fail(cause);
      receive(posted.message);
    }
  }

  function fail(cause: unknown): void {
    if (isGone) return;
    const during = !isReady ? "boot" : call === undefined ? "idle" : "call";
    leave(during === "boot" ? unloadable(cause) : cause);
    events.onGone(thread, during, cause);
  }

  function leave(reason: unknown): void {
    if (isGone) return;
    isGone = true;
    clearTimeout(bootTimer);
    takeCall()?.reject(reason);
    watched.letGo();
    port.close();
    void worker.terminate();
  }

  function takeCall(): PendingCall | undefined {
    const taken = call;
    taken?.context.signal.removeEventListener("abort", stop);
    call = undefined;
    // Until it is ready it boots, with a call or without.
    if (isReady) watched.setIdle();
    return taken;
  }
}

function unloadable(cause: unknown): CallError {
  return new CallError("unavailable", "The tool cannot run now: it does not load in its thread.", {}, cause);
}

/** @throws SyntaxError if the thread sent text that is not JSON */
function parse(text: string): unknown {
  return JSON.parse(text);
}

/**
 * The worker's file is next to this one. In development it is TypeScript, which a thread of Node 20 loads only if tsx
 * is registered in the thread; without tsx, as in tests, the built file runs.
 */
