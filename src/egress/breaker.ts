import { CallError } from "../errors/errors.ts";

export type Verdict = "well" | "failed" | "unknown";

/** Stops calls to origins that fail repeatedly, so that the calls fail at once and the origin can recover. */
export interface Breakers {
  /**
   * Called before a request is sent.
   * @returns whether it is the trial request of an open origin; pass it to `leave`
   * @throws CallError `unavailable`
   */
  enter(origin: string): boolean;
  /**
   * Called after it was answered or failed. `unknown` if the result does not show the state of the origin, for example
   * because the caller left.
   */
  leave(origin: string, verdict: Verdict, isTrial: boolean): void;
  /** Number of origins whose breaker is open now. */
  countOpen(): number;
}

export interface BreakerOptions {
  /** Consecutive failures that open it. @default 10 */
  readonly maxFailures?: number;
  /** How long it stays open before one request may try again, in milliseconds. @default 10000 */
  readonly openMs?: number;
}

interface Breaker {
  failures: number;
  openUntil: number;
  isTrying: boolean;
}

/** Maximum number of origins in memory. An untrusted caller may name any number of them. */
const maxOrigins = 1000;

/**
 * Not cockatiel, because of requests with an unknown result: its breaker closes if the caller of the trial leaves, and
 * during a trial all other callers wait for it and ignore their own signals. An origin that answers well needs no
 * entry.
 */
export function createBreakers({ maxFailures = 10, openMs = 10_000 }: BreakerOptions = {}): Breakers {
  const failing = new Map<string, Breaker>();

  function remember(origin: string, breaker: Breaker): void {
    failing.delete(origin); // Moves it to the end: the first entry is the one that failed longest ago.
    failing.set(origin, breaker);
    const [eldest] = failing.keys();
    if (failing.size > maxOrigins && eldest !== undefined) failing.delete(eldest);
  }

  return {
    enter(origin) {
      const breaker = failing.get(origin);
      if (breaker === undefined || breaker.failures < maxFailures) return false;
      const waitMs = breaker.openUntil - performance.now();
      if (waitMs > 0 || breaker.isTrying) throw unavailable(origin, Math.max(waitMs, 1000));
      breaker.isTrying = true;
      return true;
    },
    leave(origin, verdict, isTrial) {
      const breaker = failing.get(origin);
      if (isTrial && breaker !== undefined) breaker.isTrying = false;
      if (verdict === "well") failing.delete(origin);
      if (verdict !== "failed") return;
      const failures = (breaker?.failures ?? 0) + 1;
      // A request that was running when the breaker opened gives no new information.
      if (failures > maxFailures && !isTrial) return;
      remember(origin, { failures, openUntil: performance.now() + openMs, isTrying: false });
    },
    countOpen: () => [...failing.values()].filter(({ failures }) => failures >= maxFailures).length,
  };
}

/** Only the log names the origin: its name may be internal. */
function unavailable(origin: string, waitMs: number): CallError {
  // Random, so that callers do not all return at the same time.
  const retryAfterMs = Math.ceil(waitMs * (1 + Math.random() / 4));
  return new CallError(
    "unavailable",
    `The service behind the tool failed many times in a row and is not called for some time. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    { retryAfterMs },
    new Error(`The breaker of ${origin} is open.`),
  );
}
