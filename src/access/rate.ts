import type { Meter } from "../core/caller.ts";
import { now } from "../async/deadline.ts";

const minuteMs = 60_000;
/** What adding up fractions may lose: who waits as long as it was told is not sent away again. */
const rounding = 1e-6;

/** A meter that another can take over from. */
export interface TokenBucket extends Meter {
  /** How many calls of the allowance are used now. */
  used(): number;
}

/** The meter of the key with this hash. @throws Error where the rate is malformed */
export type MeterOf = (id: string, callsPerMinute: number) => Meter;

/**
 * A token bucket: a minute's calls may come at once, and one is given back every `60000 / callsPerMinute` ms. On the
 * clock that no one sets; in whole, two numbers a caller.
 * @param before the caller's meter until now: what is used of the one is used of the other
 * @throws Error where it is no whole number of at least 1
 */
export function createMeter(callsPerMinute: number, before?: TokenBucket): TokenBucket {
  if (!Number.isSafeInteger(callsPerMinute) || callsPerMinute < 1) {
    throw new Error("callsPerMinute must be a whole number of at least 1");
  }
  const perMs = callsPerMinute / minuteMs;
  let left = callsPerMinute - Math.min(callsPerMinute, before?.used() ?? 0);
  let countedAt = now();
  const fill = (): void => {
    const time = now();
    left = Math.min(callsPerMinute, left + (time - countedAt) * perMs);
    countedAt = time;
  };
  return {
    take() {
      fill();
      if (left < 1 - rounding) return Math.ceil((1 - left - rounding / 2) / perMs);
      left--;
      return 0;
    },
    used() {
      fill();
      return callsPerMinute - left;
    },
  };
}
