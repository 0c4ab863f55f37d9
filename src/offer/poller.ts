import { createBackOff } from "./back-off.ts";
import { Refused, Unreachable } from "./connection.ts";

/** Asks the service for calls, without a pause, by one request that the service holds. */
export interface Poller {
  /** There is room for calls again: a request that asked for none is followed by one that does. */
  wake(): void;
  /**
   * From now on there is no room: it asks for cancellations only. Resolves when the calls that were on their way are
   * here.
   */
  close(): Promise<void>;
  /** Gives up its requests. */
  stop(): void;
}

export interface PollerOptions {
  /**
   * Asks for up to `max` calls, and takes what comes. The service holds the answer up to `waitMs`; a second request ends
   * the first with an empty answer.
   * @throws Unreachable, Refused
   */
  readonly ask: (max: number, waitMs: number, signal: AbortSignal) => Promise<void>;
  /** The number of calls that may start now. */
  readonly room: () => number;
  /** How long the service may hold an answer, in milliseconds. */
  readonly waitMs: number;
  /** Called when the service refuses the worker, and it has stopped. */
  readonly onRefused: () => void;
  /** Called with why the service does not answer, when that begins. */
  readonly onUnreachable: (reason: string) => void;
}

export function createPoller({ ask, room, waitMs, onRefused, onUnreachable }: PollerOptions): Poller {
  const backOff = createBackOff();
  const stopped = new AbortController();
  /** Ends a pause: what is waited for then must be asked at once. */
  let pausing = new AbortController();
  const open = new Set<Promise<void>>();
  /** The number of the newest loop: the ones before end with their request. */
  let newest = 0;
  let max = 0;
  let isClosed = false;
  let isReached = true;

  function start(): void {
    pausing.abort();
    pausing = new AbortController();
    const loop = run(++newest);
    open.add(loop);
    void loop.finally(() => open.delete(loop));
  }

  async function run(number: number): Promise<void> {
    while (number === newest && !stopped.signal.aborted) {
      max = isClosed ? 0 : room();
      try {
        await ask(max, waitMs, stopped.signal);
        backOff.reset();
        isReached = true;
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (error instanceof Refused) return refuse();
        if (!(error instanceof Unreachable)) throw error;
        if (isReached) onUnreachable(error.message);
        isReached = false;
        await backOff.pause(error.askedMs, pausing.signal);
      }
    }
  }

  function refuse(): void {
    stop();
    onRefused();
  }

  function stop(): void {
    stopped.abort();
    pausing.abort();
  }

  start();
  return {
    wake() {
      if (max === 0 && !isClosed && room() > 0 && !stopped.signal.aborted) start();
    },
    async close() {
      isClosed = true;
      const before = [...open];
      // It ends the request that the service holds.
      if (!stopped.signal.aborted) start();
      await Promise.all(before);
    },
    stop,
  };
}
