import type { StartCall } from "../core/call/start-call.ts";
import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import { inTime } from "../async/in-time.ts";
import type { Log } from "../telemetry/logger.ts";
import { createBackOff } from "./back-off.ts";
import { createCalls } from "./calls.ts";
import { createConnection, Refused, Unreachable } from "./connection.ts";
import { startHeartbeatThread } from "./heartbeat.ts";
import { offeredTools } from "./offered-tools.ts";
import { register, type Registration } from "./registration.ts";

/** Offers the tools of this process to a running Toolhost, as a worker (docs/workers.md). */
export interface Offer {
  /** The tools are these from now on. Unchanged declarations are not registered again. */
  set(tools: readonly RegisteredTool[]): void;
  /**
   * Rejects if to try again is useless: with `Refused` if the service refuses the worker, and with `NothingOffered` if
   * it refuses all tools of the first registration.
   */
  readonly refused: Promise<never>;
  /**
   * Takes no more calls, and waits for the running ones and their answers.
   * @param withinMs how long running calls may take
   * @param stop ends the calls that took longer
   */
  end(withinMs: number, stop: () => void): Promise<void>;
}

export interface OfferOptions {
  /** The URL of the service's `/workers`. */
  readonly url: string;
  readonly token: string;
  /** The name of the worker, which is the source of its tools. */
  readonly name: string;
  /** The number of calls that run at once. */
  readonly concurrency: number;
  readonly startCall: StartCall;
  readonly log: Log;
  /** @default starts a thread */
  readonly startHeartbeat?: typeof startHeartbeatThread;
}

/** How long the answers of the last calls may take. */
const lastAnswersMs = 2000;

export function createOffer(options: OfferOptions): Offer {
  const { url, token, name, concurrency, startCall, log, startHeartbeat = startHeartbeatThread } = options;
  const heartbeat = startHeartbeat({ url, token });
  const connection = createConnection({ url, token, onSend: heartbeat.sign });
  const calls = createCalls({
    startCall,
    onEnd() {
      current?.wake();
      if (calls.running === 0) onIdle?.();
    },
  });
  const ending = new AbortController();
  const backOff = createBackOff();
  /** Registrations that were replaced, and whose calls may still run. */
  const replaced = new Set<Registration>();
  let isFirst = true;
  let wanted = "[]";
  /** Changed tools that the service refused. */
  let refusedTools: string | undefined;
  let current: Registration | undefined;
  let working: Promise<void> | undefined;
  let onIdle: (() => void) | undefined;
  let refuse: (error: unknown) => void;
  const refused = new Promise<never>((_, reject) => (refuse = reject));
  // A rejection that nobody waits for is not a fault.
  refused.catch(() => undefined);

  /** After a refusal nothing more is done. */
  function work(): void {
    working ??= settle().then(() => {
      working = undefined;
      if (!isSettled()) work();
    }, refuse);
  }

  /** Whether there is nothing to register. */
  function isSettled(): boolean {
    if (ending.signal.aborted) return true;
    return current?.isLost !== true && (wanted === (current?.tools ?? "[]") || wanted === refusedTools);
  }

  /** Registers until the service has what is wanted. */
  async function settle(): Promise<void> {
    while (!isSettled()) {
      if (current?.isLost === true) await forget(current);
      const tools = wanted;
      for (const each of replaced) if (each.isDone) replaced.delete(each);
      const next = tools === "[]" ? undefined : await registerOnce(tools);
      if (tools !== "[]" && next === undefined) continue;
      const before = current;
      current = next;
      heartbeat.set(next);
      if (before !== undefined) await replace(before);
    }
  }

  /** A service that forgets each registration at once is not asked without a pause. */
  async function forget(lost: Registration): Promise<void> {
    current = undefined;
    refusedTools = undefined;
    replaced.add(lost);
    heartbeat.set(undefined);
    if (lost.isAlive) backOff.reset();
    else await backOff.pause(0, ending.signal);
  }

  async function registerOnce(tools: string): Promise<Registration | undefined> {
    try {
      const options = { connection, name, concurrency, tools, calls, log, isFirst, onLost: work };
      const registration = await register(options, ending.signal);
      isFirst = false;
      return registration;
    } catch (error) {
      if (error instanceof Refused && error.status !== 401 && current?.isLost === false) {
        log.error({ reason: error.message }, "the service refused the changed tools; it keeps the previous ones");
        refusedTools = tools;
        return undefined;
      }
      if (!(error instanceof Unreachable)) throw error;
      if (!ending.signal.aborted) log.warn({ reason: error.message }, "the worker could not register; it tries again");
      await backOff.pause(error.askedMs, ending.signal);
      return undefined;
    }
  }

  async function replace(before: Registration): Promise<void> {
    replaced.add(before);
    await before.leave();
  }

  return {
    set(tools) {
      wanted = offeredTools(tools);
      refusedTools = undefined;
      work();
    },
    refused,
    async end(withinMs, stop) {
      const until = performance.now() + withinMs;
      ending.abort();
      await working;
      await current?.leave();
      const idle = new Promise<void>((resolve) => (onIdle = resolve));
      if (calls.running > 0) await inTime(idle, Math.max(0, until - performance.now()), stop);
      const all = [...replaced, ...(current === undefined ? [] : [current])];
      await inTime(Promise.all(all.map((each) => each.sent())), lastAnswersMs, () => undefined);
      for (const each of all) each.close();
      await Promise.all([connection.close(), heartbeat.end()]);
    },
  };
}
