import type { JsonObject } from "../../json/object.ts";
import { aboutCall, type CallContext } from "./call-context.ts";
import { now } from "../../async/deadline.ts";
import type { CallError } from "../../errors/errors.ts";
import { isRetryable, toCallError } from "../../errors/failure.ts";
import { notify } from "../../async/notify.ts";
import type { RunningCall } from "./running-call.ts";
import { runNumbered } from "./current-tool.ts";

/** The pause before the second attempt, in milliseconds; it doubles with each one, and half of it is random. */
const firstPauseMs = 200;

/**
 * Runs a tool again after a failure that may be temporary. For the call it is one run of the tool: the slot is kept,
 * and the time limit or a cancellation ends a pause immediately.
 */
export async function runWithRetries(run: RunningCall, args: JsonObject, context: CallContext): Promise<unknown> {
  const { entry } = run;
  const { retries, repeatable } = entry;
  let before: CallError | undefined;
  for (let attempt = 1; ; attempt++) {
    run.attempt = attempt;
    try {
      // A copy, because each attempt starts from the arguments as sent.
      const own = attempt > retries ? args : structuredClone(args);
      return await runNumbered(entry, own, context);
    } catch (thrown) {
      const error = toCallError(thrown, repeatable);
      // A later attempt that was not admitted did not run, but the one before did: its failure is the call's.
      if (before !== undefined && error.code === "busy") throw before;
      before = error;
      const pauseMs = Math.max(backOffMs(attempt), error.extras.retryAfterMs ?? 0);
      const isOver = attempt > retries || !run.running || now() + pauseMs >= run.expiresAt;
      if (isOver || !isRepeatable(error, repeatable)) throw error;
      report(run, error, attempt);
      await pause(pauseMs, run.signal);
    }
  }
}

function isRepeatable(error: CallError, safe: boolean): boolean {
  return (error.code === "tool_failed" || error.code === "upstream_failed") && isRetryable(error, safe);
}

function backOffMs(attempt: number): number {
  return firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}

/** Rejects as soon as the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

function report(run: RunningCall, { code }: CallError, attempt: number): void {
  run.span?.setAttribute("toolhost.call.attempts", attempt + 1);
  const message = `attempt ${attempt} failed (${code}); the tool runs again`;
  notify(() => run.registry.observer.onToolLog?.({ ...aboutCall(run), level: "info", message }));
}
