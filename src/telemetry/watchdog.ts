import { PerformanceObserver } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { currentTool, sameRunBit } from "../core/call/current-tool.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { Log } from "./logger.ts";
import { type BlockEnd, type WatchdogData, type WatchedTool, watchMainThread } from "./watchdog-thread.ts";

export interface WatchdogOptions {
  readonly log: Log;
  /** Where the log goes: a descriptor that a write does not block. */
  readonly fd: number;
  /** How long the event loop may stand still before that is told, in milliseconds. @default 500 */
  readonly blockedMs?: number;
  /** Told of each block when it has ended. `tool` is the name of a registered tool, or `unknown`. */
  onBlocked(tool: string, blockedMs: number): void;
}

export interface Watchdog {
  /** Tells it which tools there are: all of them, whenever they have changed. */
  watch(tools: readonly WatchedTool[]): void;
  /** Kills the process after so long, also while its event loop is blocked. */
  killIn(ms: number): void;
}

/** A few times within `blockedMs`, so that a block is told no more than a fifth of it late. */
const looksPerBlock = 5;

/**
 * Notices a blocked event loop while it is blocked, and says which tool does it. The main thread gives a sign of life a
 * few times a second; a thread of its own misses it, writes a line to stderr, and finds out who is at fault. Neither
 * keeps the process alive.
 */
export function startWatchdog({ log, fd, blockedMs = 500, onBlocked }: WatchdogOptions): Watchdog {
  const intervalMs = blockedMs / looksPerBlock;
  const life = new Int32Array(new SharedArrayBuffer(8));
  const live = (): void => void Atomics.store(life, 0, performance.now());
  live();
  const data: WatchdogData = {
    fd,
    blockedMs,
    intervalMs,
    life,
    currentTool,
    sameRunBit,
    tells: log.isLevelEnabled("warn"),
  };
  const thread = new Worker(threadSource(), {
    eval: true,
    workerData: data,
    name: "watchdog",
    // None of ours: what NODE_OPTIONS and --import load (an OpenTelemetry SDK) has no business there.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  thread.on("error", (error) => log.warn({ err: error }, "the watchdog ended"));
  thread.on("message", ({ tool, blockedMs: ms, gcMs }: BlockEnd) => {
    log.warn({ tool, blockedMs: ms, ...(gcMs > 0 && { gcMs }) }, "event loop free again");
    onBlocked(tool, ms);
  });
  thread.unref();
  setInterval(live, intervalMs).unref();
  addUpCollections(life, intervalMs);
  return {
    watch: (tools) => thread.postMessage(tools.map(({ name, number, folderUrl }) => ({ name, number, folderUrl }))),
    killIn: (ms) => thread.postMessage(ms),
  };
}

/** The tools that may block the event loop, and where their code is. */
export function watchedTools(registry: Registry): WatchedTool[] {
  return registry.list().map(({ tool: { name, module }, number }) => {
    return { name, number, folderUrl: module === undefined ? undefined : new URL(".", module).href };
  });
}

/** Long garbage collections are nobody's fault. */
function addUpCollections(life: Int32Array, longMs: number): void {
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) if (duration >= longMs) Atomics.add(life, 1, duration);
  });
  observer.observe({ entryTypes: ["gc"] });
}

/**
 * The thread's function as a program: a file of its own would have to be found, and loaded as TypeScript, by each of
 * dist, tsx and vitest. What tsx wraps named functions in is defined here.
 */
function threadSource(): string {
  return `const __name = (value) => value; (${watchMainThread.toString()})();`;
}
