import type { Meter } from "../core/caller.ts";
import { now } from "../async/deadline.ts";

const minuteMs = 60_000;
/** What adding up fractions may lose: who waits as long as it was told is not sent away again. */
const rounding = 1e-6;

/** A meter that another can take over from. */
export interface TokenBucket extends Meter {
  /** How many calls are used now, those of a higher rate before it included. */
  used(): number;
  /** The rate at which all of them are given back. */
  readonly repaidPerMs: number;
}

/** The meter of the key with this hash. @throws Error where the rate is malformed */
export type MeterOf = (id: string, callsPerMinute: number) => Meter;

/**
 * A token bucket: a minute's calls may come at once, and one is given back every `60000 / callsPerMinute` ms. On the
 * clock that no one sets; in whole, a few numbers a caller.
 *
 * What was used of a higher rate and is more than this one allows is kept apart: it makes no caller wait longer, and it is
 * not given back sooner if the rate is raised again. In whole, calls come back as fast as at the higher rate.
 * @param before the caller's meter until now: what is used of the one is used of the other
 * @throws Error if it is not a whole number of at least 1
 */
export function createMeter(callsPerMinute: number, before?: TokenBucket): TokenBucket {
  if (!Number.isSafeInteger(callsPerMinute) || callsPerMinute < 1) {
    throw new Error("callsPerMinute must be a whole number of at least 1");
  }
  const perMs = callsPerMinute / minuteMs;
  const usedBefore = before?.used() ?? 0;
  let left = Math.max(0, callsPerMinute - usedBefore);
  let beyond = Math.max(0, usedBefore - callsPerMinute);
  const repaidPerMs = beyond > 0 ? Math.max(perMs, before?.repaidPerMs ?? 0) : perMs;
  let countedAt = now();
  const fill = (): void => {
    const time = now();
    left = Math.min(callsPerMinute, left + (time - countedAt) * perMs);
    beyond = Math.max(0, beyond - (time - countedAt) * (repaidPerMs - perMs));
    countedAt = time;
  };
  return {
    repaidPerMs,
    take() {
      fill();
      if (left < 1 - rounding) return Math.ceil((1 - left - rounding / 2) / perMs);
      left--;
      return 0;
    },
    used() {
      fill();
      return callsPerMinute - left + beyond;
    },
  };
}
