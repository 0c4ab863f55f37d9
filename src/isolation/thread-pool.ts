import { CallError } from "../errors/errors.ts";
import type { ToolLogEntry } from "../core/observer.ts";
import type { Executor } from "../core/registry/registered-tool.ts";
import type { HeapWatch } from "./heap-watch.ts";
import { startThread, type Thread, type ThreadEvents } from "./thread.ts";
import type { ThreadSettings } from "./thread-messages.ts";

export interface PoolOptions {
  readonly concurrency: number;
  /** How long a thread beyond the first is kept without work, in milliseconds. */
  readonly idleMs: number;
  readonly heap: HeapWatch;
  onOutput(entry: ToolLogEntry): void;
}

/** The first thread boots after the start of the service, unless a call comes earlier. */
const warmAfterMs = 1000;
const maxPauseMs = 30_000;

/**
 * The threads of one tool. One is kept warm; more are started if calls overlap, and end after a time without work.
 * There is no queue: the tool's gate admits no more calls than the maximum number of threads.
 */
export function createThreadPool(settings: ThreadSettings, options: PoolOptions): Executor {
  const { concurrency, idleMs, heap, onOutput } = options;
  const threads = new Set<Thread>();
  /** Threads without a call, each with the timer that will end it. */
  const free = new Map<Thread, NodeJS.Timeout | undefined>();
  let isClosed = false;
  let faults = 0;
  let retryAt = 0;
  const warmTimer = setTimeout(keepWarm, warmAfterMs).unref();

  const events: ThreadEvents = {
    onFree(thread) {
      if (isClosed) return end(thread);
      if (thread.isReady) faults = 0;
      free.set(thread, threads.size > 1 ? setTimeout(endIdle, idleMs, thread).unref() : undefined);
    },
    onGone(thread, during, cause) {
      forget(thread);
      // Its call was stopped, or crashed it: the next calls should not wait for a boot.
      if (during === "call") return keepWarm();
      faults++;
      retryAt = performance.now() + pauseMs();
      const reason = cause instanceof Error ? cause.message : String(cause);
      report(
        "error",
        `a thread ended ${during === "boot" ? "before the tool was loaded" : "between calls"}: ${reason}`,
      );
    },
    onOutput: report,
  };

  return {
    concurrency,
    execute(args, context) {
      return takeThread().run(args, context);
    },
    close() {
      isClosed = true;
      clearTimeout(warmTimer);
      for (const thread of free.keys()) end(thread);
    },
  };

  function takeThread(): Thread {
    const waiting = [...free.keys()];
    const thread = waiting.findLast(({ isReady }) => isReady) ?? waiting.at(-1);
    if (thread === undefined) return boot();
    clearTimeout(free.get(thread));
    free.delete(thread);
    return thread;
  }

  /** @throws CallError `unavailable` if threads end as soon as they start */
  function boot(): Thread {
    const waitMs = Math.ceil(retryAt - performance.now());
    if (waitMs > 0) throw crashing(waitMs);
    const thread = startThread(settings, heap, events);
    threads.add(thread);
    return thread;
  }

  function keepWarm(): void {
    if (isClosed || threads.size > 0 || retryAt > performance.now()) return;
    free.set(boot(), undefined);
  }

  /** The first failure causes no pause; a module that fails each time is tried less and less often. */
  function pauseMs(): number {
    return faults < 2 ? 0 : Math.min(100 * 2 ** faults, maxPauseMs);
  }

  function endIdle(thread: Thread): void {
    if (threads.size > 1) end(thread);
  }

  function end(thread: Thread): void {
    forget(thread);
    thread.end();
  }

  function forget(thread: Thread): void {
    threads.delete(thread);
    clearTimeout(free.get(thread));
    free.delete(thread);
  }

  function report(level: ToolLogEntry["level"], message: string, callId?: string): void {
    onOutput({ tool: settings.name, level, message, ...(callId !== undefined && { callId }) });
  }
}

function crashing(retryAfterMs: number): CallError {
  return new CallError("unavailable", "The tool cannot run now: its thread ended each time it was started.", {
    retryAfterMs,
  });
}
