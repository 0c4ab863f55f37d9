import { CallError } from "../errors/errors.ts";

export type Verdict = "well" | "failed" | "unknown";

/** Keeps calls away from origins that fail again and again, so that they end at once and the origin can recover. */
export interface Breakers {
  /**
   * Before a request is sent.
   * @returns whether it is the one that tries an open origin again, to be given back to `leave`
   * @throws CallError `unavailable`
   */
  enter(origin: string): boolean;
  /** After it was answered or failed. `unknown` where it says nothing of the origin, such as a caller that left. */
  leave(origin: string, verdict: Verdict, isTrial: boolean): void;
  /** How many origins are left alone now. */
  countOpen(): number;
}

export interface BreakerOptions {
  /** Failures in a row that open it. @default 10 */
  readonly maxFailures?: number;
  /** How long it stays open before one request may try again, in milliseconds. @default 10000 */
  readonly openMs?: number;
}

interface Breaker {
  failures: number;
  openUntil: number;
  isTrying: boolean;
}

/** Origins that can be remembered at once. A stranger may name any number of them. */
const maxOrigins = 1000;

/**
 * By hand, because of the requests that say nothing: in cockatiel a trial whose caller leaves closes the breaker, and
 * while one trial runs, all others wait for it, deaf to their own signals. An origin that answers well costs no entry.
 */
export function createBreakers({ maxFailures = 10, openMs = 10_000 }: BreakerOptions = {}): Breakers {
  const failing = new Map<string, Breaker>();

  function remember(origin: string, breaker: Breaker): void {
    failing.delete(origin); // Moves it behind the others: the first is the one that failed longest ago.
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
      // What was under way when it opened says nothing new.
      if (failures > maxFailures && !isTrial) return;
      remember(origin, { failures, openUntil: performance.now() + openMs, isTrying: false });
    },
    countOpen: () => [...failing.values()].filter(({ failures }) => failures >= maxFailures).length,
  };
}

/** The origin is told to the log only: it may hold a name that is internal. */
function unavailable(origin: string, waitMs: number): CallError {
  // Spread, so that callers do not all come back at once.
  const retryAfterMs = Math.ceil(waitMs * (1 + Math.random() / 4));
  return new CallError(
    "unavailable",
    `The service behind the tool failed many times in a row and is not called for now. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    { retryAfterMs },
    new Error(`The breaker of ${origin} is open.`),
  );
}
