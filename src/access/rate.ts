import type { Meter } from "../core/caller.ts";
import { now } from "../core/deadline.ts";

const minuteMs = 60_000;
/** What adding up fractions may lose: who waits as long as it was told is not sent away again. */
const rounding = 1e-6;

/**
 * A token bucket: a minute's calls may come at once, and one is given back every `60000 / callsPerMinute` ms. On the
 * clock that no one sets; in whole, two numbers a caller.
 * @throws Error where it is no whole number of at least 1
 */
export function createMeter(callsPerMinute: number): Meter {
  if (!Number.isSafeInteger(callsPerMinute) || callsPerMinute < 1) {
    throw new Error("callsPerMinute must be a whole number of at least 1");
  }
  const perMs = callsPerMinute / minuteMs;
  let left = callsPerMinute;
  let countedAt = now();
  return {
    take() {
      const time = now();
      left = Math.min(callsPerMinute, left + (time - countedAt) * perMs);
      countedAt = time;
      if (left < 1 - rounding) return Math.ceil((1 - left - rounding / 2) / perMs);
      left--;
      return 0;
    },
  };
}
