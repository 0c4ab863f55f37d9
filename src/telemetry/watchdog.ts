import { PerformanceObserver } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { currentTool, sameRunBit } from "../core/call/current-tool.ts";
import type { Registry } from "../core/registry/registry.ts";
import type { Log } from "./logger.ts";
import { type BlockEnd, type WatchdogData, type WatchedTool, watchMainThread } from "./watchdog-thread.ts";

export interface WatchdogOptions {
  readonly log: Log;
  /** The log's descriptor, to which a write does not block. */
  readonly fd: number;
  /** How long the event loop may be blocked before it is reported, in milliseconds. @default 500 */
  readonly blockedMs?: number;
  /** Called for each block when it has ended. `tool` is the name of a registered tool, or `unknown`. */
  onBlocked(tool: string, blockedMs: number): void;
}

export interface Watchdog {
  /** Sets the list of tools: all of them, after every change. */
  watch(tools: readonly WatchedTool[]): void;
  /** Kills the process after `ms`, even while its event loop is blocked. */
  killIn(ms: number): void;
}

/** Several checks within `blockedMs`, so that a block is reported at most a fifth of it late. */
const looksPerBlock = 5;

/**
 * Detects a blocked event loop while it is blocked, and names the tool that blocks it. The main thread gives a sign of
 * life several times a second; a separate thread detects when it is missing, writes a line to stderr, and finds the
 * cause. Neither keeps the process alive.
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
    warns: log.isLevelEnabled("warn"),
  };
  const thread = new Worker(threadSource(), {
    eval: true,
    workerData: data,
    name: "watchdog",
    // Empty: modules from NODE_OPTIONS and --import (such as an OpenTelemetry SDK) must not load there.
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

/** The tools that may block the event loop, with the locations of their code. */
export function watchedTools(registry: Registry): WatchedTool[] {
  return registry.list().map(({ tool: { name, module }, number }) => {
    return { name, number, folderUrl: module === undefined ? undefined : new URL(".", module).href };
  });
}

/** No tool is at fault for long garbage collections. */
function addUpCollections(life: Int32Array, longMs: number): void {
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) if (duration >= longMs) Atomics.add(life, 1, duration);
  });
  observer.observe({ entryTypes: ["gc"] });
}

/**
 * The thread's function as a program: each of dist, tsx and vitest would have to find a separate file, and load it as
 * TypeScript. The helper that tsx wraps around named functions is defined here.
 */
function threadSource(): string {
  return `const __name = (value) => value; (${watchMainThread.toString()})();`;
}
