import type { Meter } from "../core/caller.ts";
import { now } from "../async/deadline.ts";

const minuteMs = 60_000;
/** Tolerance for rounding errors: a caller that waited as long as requested must not be refused again. */
const rounding = 1e-6;

/** A meter whose state another can take over. */
export interface TokenBucket extends Meter {
  /** Number of calls in use now, including those of a higher rate before. */
  used(): number;
  /** The rate at which all of them are restored. */
  readonly repaidPerMs: number;
}

/** The meter of the key with this hash. @throws Error if the rate is malformed */
export type MeterOf = (id: string, callsPerMinute: number) => Meter;

/**
 * A token bucket: a minute's calls may come at once, and one is restored every `60000 / callsPerMinute` ms. It uses the
 * monotonic clock and a few numbers per caller.
 *
 * The part used at a higher rate that exceeds this rate is kept separately: it makes no caller wait longer, and it is
 * not restored sooner if the rate is raised again. In total, calls are restored as fast as at the higher rate.
 * @param before the caller's previous meter: use of one counts as use of the other
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
