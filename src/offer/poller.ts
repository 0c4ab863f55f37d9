import { createBackOff } from "./back-off.ts";
import { Refused, Unreachable } from "./connection.ts";

/** Asks the service for calls, without a pause, by one request that the service holds. */
export interface Poller {
  /** There is room for calls again: a request that asked for none is followed by one that does. */
  wake(): void;
  /** Asks for no more calls. Resolves when those that were on their way are here. */
  end(): Promise<void>;
  /** Gives up its requests: the service does not know the worker any more. */
  stop(): void;
}

export interface PollerOptions {
  /**
   * Asks for up to `max` calls, and starts those that come. The service holds the answer up to `waitMs`; a second request
   * ends the first with an empty answer.
   * @throws Unreachable, Refused
   */
  readonly ask: (max: number, waitMs: number, signal: AbortSignal) => Promise<void>;
  /** The number of calls that may start now. */
  readonly room: () => number;
  /** How long the service may hold an answer, in milliseconds. */
  readonly waitMs: number;
  /** Called when the service refuses the worker. */
  readonly onLost: () => void;
  /** Called with whether the service answered, when that changes. */
  readonly onReach: (reason: string | undefined) => void;
}

export function createPoller({ ask, room, waitMs, onLost, onReach }: PollerOptions): Poller {
  const backOff = createBackOff();
  const stopped = new AbortController();
  const ended = new AbortController();
  const open = new Set<Promise<void>>();
  /** The number of the newest loop: the ones before end with their request. */
  let newest = 0;
  let max = 0;
  let isReached: boolean | undefined;

  function start(): void {
    const loop = run(++newest);
    open.add(loop);
    void loop.finally(() => open.delete(loop));
  }

  async function run(number: number): Promise<void> {
    while (number === newest && !stopped.signal.aborted) {
      max = room();
      try {
        await ask(max, waitMs, stopped.signal);
        backOff.reset();
        if (isReached !== true) onReach(undefined);
        isReached = true;
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (error instanceof Refused) return stop(onLost);
        if (!(error instanceof Unreachable)) throw error;
        if (isReached !== false) onReach(error.message);
        isReached = false;
        await backOff.pause(error.askedMs, ended.signal);
      }
    }
  }

  function stop(then?: () => void): void {
    stopped.abort();
    ended.abort();
    then?.();
  }

  start();
  return {
    wake() {
      if (max === 0 && room() > 0 && !ended.signal.aborted) start();
    },
    async end() {
      newest++;
      ended.abort();
      // It ends the request that the service holds. If it fails, the service has no call to hand out.
      if (open.size > 0) await ask(0, 0, stopped.signal).catch(() => undefined);
      await Promise.all(open);
    },
    stop: () => stop(),
  };
}
