import { setTimeout as sleep } from "node:timers/promises";

const firstPauseMs = 100;
const longestPauseMs = 5000;
/** A service that asks for a longer pause than this is asked again anyway. */
const longestAskedMs = 30_000;

/** The pauses between attempts that fail: each up to twice as long as the one before, until an attempt succeeds. */
export interface BackOff {
  /**
   * Waits for the next attempt; ends early if the signal aborts.
   * @param askedMs the shortest pause that the service asked for
   */
  pause(askedMs: number, signal: AbortSignal): Promise<void>;
  /** An attempt succeeded: the next pause is the shortest again. */
  reset(): void;
}

export function createBackOff(): BackOff {
  let failures = 0;
  return {
    async pause(askedMs, signal) {
      const longest = Math.min(firstPauseMs * 2 ** failures++, longestPauseMs);
      // Random, so that the workers of a service that restarts do not come back in step.
      const ownMs = longest * (0.5 + Math.random() / 2);
      await sleep(Math.max(ownMs, Math.min(askedMs, longestAskedMs)), undefined, { signal }).catch(() => undefined);
    },
    reset() {
      failures = 0;
    },
  };
}
