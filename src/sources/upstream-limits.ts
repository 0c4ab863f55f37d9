import { createMeter } from "../access/rate.ts";
import { liftDeadline, now, setDeadline } from "../async/deadline.ts";
import { createGate, type Gate } from "../async/gate.ts";
import type { SourceContext } from "../core/source-context.ts";
import { CallError } from "../errors/errors.ts";

/** How much a source asks of the service behind it. */
export interface UpstreamLimits {
  /** Calls of the whole source at once. Others wait for a slot, as those of a tool do. @default unlimited */
  readonly concurrency?: number | undefined;
  /** @default unlimited */
  readonly callsPerMinute?: number | undefined;
}

/** Runs a call within the limits of its source. */
export type RunWithin = <T>(context: SourceContext, run: () => Promise<T>) => Promise<T>;

/**
 * The limits of a source, over all its tools.
 * @returns undefined if there are none. The function rejects with a CallError `busy` if no slot came free in time or the
 * calls of the minute are used up; nothing ran then.
 */
export function limitUpstream({ concurrency, callsPerMinute }: UpstreamLimits): RunWithin | undefined {
  if (concurrency === undefined && callsPerMinute === undefined) return undefined;
  const gate = createGate(concurrency ?? Infinity);
  const meter = callsPerMinute === undefined ? undefined : createMeter(callsPerMinute);
  return async (context, run) => {
    if (!gate.enter()) await waitFor(gate, context);
    try {
      const waitMs = meter?.take() ?? 0;
      if (waitMs > 0) throw busy("has reached its limit of calls per minute", waitMs);
      return await run();
    } finally {
      gate.leave();
    }
  };
}

function waitFor(gate: Gate, { queueMs, signal }: SourceContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      liftDeadline(waiting);
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    const place = gate.wait(() => end(resolve));
    const giveUp = (reason: Error): void => {
      place.giveUp();
      end(() => reject(reason));
    };
    const onAbort = (): void => giveUp(signal.reason as Error);
    const waiting = {
      expiresAt: now() + queueMs,
      onExpire: () => giveUp(busy("is at its limit of concurrent calls", 1000)),
    };
    setDeadline(waiting);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

function busy(why: string, retryAfterMs: number): CallError {
  return new CallError("busy", `The service behind the tool ${why}. Nothing ran; call again later.`, {
    retryAfterMs: Math.ceil(retryAfterMs),
  });
}
