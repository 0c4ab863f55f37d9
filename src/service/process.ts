import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { guardProcess, type ProcessEnd } from "../isolation/process-guard.ts";
import type { ServiceLog } from "../telemetry/log.ts";
import type { Log } from "../telemetry/logger.ts";

/** The functions that really end the process: if a tool calls `process.exit`, its call fails and others continue. */
let processEnd: ProcessEnd = {
  exit: process.exit.bind(process),
  kill: (signal) => void process.kill(process.pid, signal),
};

/** How much longer than the shutdown limit the service's own end may take. */
const endMs = 700;
/**
 * How long threads and requests of Node's thread pool may take to let go of the process: a busy machine needs a while.
 */
const releaseMs = 1000;
/** The same if it must end at once, or if its time is up. */
const shortReleaseMs = 100;
/** So much later than the shutdown limit the process ends whatever happens. */
const graceMs = 900;

/** The process's worker threads since `keepRunning`. */
const threads = new Set<Worker>();

/** Prevents tools from ending the process. */
export function keepRunning(): void {
  processEnd = guardProcess();
  process.on("worker", (thread) => {
    threads.add(thread);
    thread.once("exit", () => threads.delete(thread));
  });
}

/** Ends the process, even while tools are prevented from ending it. */
export function exitProcess(code: number): never {
  return processEnd.exit(code);
}

/** An error of a tool that nothing waits for must not end the process. */
export function outliveFaults(log: Log): void {
  process.on("unhandledRejection", (error) => log.error({ err: error }, "a promise rejection was not handled"));
  process.on("uncaughtException", (error) => log.error({ err: error }, "an error was thrown and not caught"));
}

/**
 * Listens for SIGHUP from now on, which would otherwise end the process. An early SIGHUP is handled when a reload is
 * possible.
 */
export function hearHangUps(): { answerWith(reload: () => void): void } {
  let isAsked = false;
  let answer = (): void => void (isAsked = true);
  process.on("SIGHUP", () => answer());
  return {
    answerWith(reload) {
      answer = reload;
      if (isAsked) reload();
    },
  };
}

export interface EndOptions {
  readonly log: ServiceLog;
  /** How long `end` may take, in milliseconds. It is not waited for much longer. */
  readonly withinMs: number;
  /** Ends the service. */
  readonly end: () => Promise<void>;
}

/**
 * Ends the process on SIGTERM or SIGINT when `end` is done, or when its time is up; a second signal ends it at once.
 */
export function endOnSignal({ log, withinMs, end }: EndOptions): void {
  let signals = 0;
  const onSignal = (): void => {
    signals++;
    if (signals > 2) kill();
    void (signals === 1 ? endInTime() : leave(1, shortReleaseMs));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);

  async function endInTime(): Promise<void> {
    const until = performance.now() + withinMs + graceMs;
    let code = 0;
    try {
      const isLate = await Promise.race([end().then(() => false), sleep(withinMs + endMs, true)]);
      if (isLate) log.log.warn("the service did not stop in time; the process exits anyway");
    } catch (fault) {
      code = 1;
      log.log.error({ err: fault }, "shutdown failed");
    }
    await leave(code, Math.max(shortReleaseMs, Math.min(releaseMs, until - performance.now())));
  }

  async function leave(code: number, withinMs: number): Promise<void> {
    // Node waits for each of these before it exits, without end.
    if (!(await endThreads(withinMs)) || !(await isPoolIdle(withinMs))) {
      log.log.warn("a tool still waits for a file or for a name lookup; the process is killed");
      kill();
    }
    processEnd.exit(code);
  }

  function kill(): void {
    log.end();
    processEnd.kill("SIGKILL");
  }
}

/** @returns whether all threads have ended. A thread that waits for the system, in a file for example, does not. */
async function endThreads(withinMs: number): Promise<boolean> {
  const left = new Set(threads);
  const ends = [...left].map(async (thread) => {
    // The end of the thread is expected now: it is not a fault, and no other thread is started.
    thread.removeAllListeners().on("error", () => undefined);
    await thread.terminate();
    left.delete(thread);
  });
  await Promise.race([Promise.all(ends), sleep(withinMs)]);
  return left.size === 0;
}

/** @returns whether no file is read and no name is looked up any more */
async function isPoolIdle(withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs / 2;
  const isIdle = (): boolean =>
    !process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfo|GetNameInfo)/.test(name));
  while (!isIdle() && performance.now() < until) await sleep(10);
  return isIdle();
}
