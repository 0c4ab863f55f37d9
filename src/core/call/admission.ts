import { cancelledBeforeStart } from "../outcome.ts";
import type { Call } from "./call.ts";
import type { Caller } from "../caller.ts";
import { liftDeadline, now, setDeadline } from "../../async/deadline.ts";
import { CallError } from "../../errors/errors.ts";
import { notAvailable } from "../../errors/not-available.ts";
import type { Gate } from "../../async/gate.ts";
import type { RegisteredTool } from "../registry/registered-tool.ts";
import type { Registry } from "../registry/registry.ts";
import { type RunningCall, type Stoppable } from "./running-call.ts";

/**
 * Maximum number of abandoned calls of one tool: calls that continue after their time limit, or after their caller
 * left. Beyond it the tool gets no new calls.
 */
export const maxAbandoned = 1000;

/** @throws CallError `overloaded` if the process is at its limit of calls */
export function refuseOverload({ load, limits }: Registry): void {
  if (load.calls > limits.callsInFlight) {
    throw new CallError(
      "overloaded",
      "The service is at its limit of concurrent calls. Nothing ran; call again in a moment.",
      // Random, so that callers do not all return at the same time.
      { retryAfterMs: 1000 + Math.floor(Math.random() * 2000) },
    );
  }
}

/** Counts the call against its caller's rate limit. @throws CallError `rate_limited` */
export function takeFromRate(caller: Caller | undefined): void {
  const waitMs = caller?.meter === undefined ? 0 : caller.meter.take();
  if (waitMs <= 0) return;
  throw new CallError("rate_limited", "Too many calls per minute. Nothing ran; call again later.", {
    retryAfterMs: Math.ceil(waitMs),
  });
}

/** @throws CallError `bad_request`, `unavailable`, `declaration_changed` */
export function refuseUnlessReady(entry: RegisteredTool, call: Call): void {
  if (call.timeoutMs !== undefined && !(call.timeoutMs >= 1)) {
    throw new CallError("bad_request", "timeoutMs must be a number of at least 1.");
  }
  // It is written into responses unescaped.
  if (call.callId !== undefined && !/^[\w-]{1,128}$/.test(call.callId)) {
    throw new CallError("bad_request", "callId must be 1 to 128 letters, digits, hyphens and underscores.");
  }
  if (entry.unavailable !== undefined) {
    throw notAvailable(entry.unavailable);
  }
  if (entry.readiness.isDropped) {
    throw new CallError(
      "unavailable",
      "The source of the tool is not connected now. Nothing ran; call again in a moment.",
      { retryAfterMs: 1000 },
    );
  }
  if (call.hash !== undefined && call.hash !== entry.declaration.hash) {
    throw new CallError(
      "declaration_changed",
      "This call was made for another version of the tool's declaration. Read the tool again and make a new call.",
    );
  }
  if (entry.abandoned.count >= maxAbandoned) {
    throw new CallError(
      "unavailable",
      "The tool cannot run now: too many of its calls are still running after their time limit.",
      { retryAfterMs: 1000 },
    );
  }
}

/**
 * Waits for a slot of a busy tool.
 * @param onSlot is called with the slot taken, in a separate turn: the end of one call must not run all waiting ones
 * @throws CallError `busy` if it may not wait
 */
export function waitForSlot(gate: Gate, run: RunningCall, onSlot: () => void): void {
  const { registry, call, timeoutMs, startedAt } = run;
  const waitMs = call.patient === true ? timeoutMs : Math.min(registry.limits.queueMs, timeoutMs);
  if (waitMs <= 0) throw busy();
  const place = gate.wait(() => {
    run.slot = gate;
    leaveLine();
    // A slot after the time limit is useless: the tool would be started and stopped at once.
    queueMicrotask(now() < waiting.expiresAt ? onSlot : () => run.fail(busy()));
  });
  const giveUp = (error: CallError): void => {
    place.giveUp();
    leaveLine();
    run.fail(error);
  };
  const waiting: Stoppable = {
    registry,
    expiresAt: startedAt + waitMs,
    onExpire: () => giveUp(busy()),
    // For every reason to stop: the tool has not been started.
    stop: () => giveUp(cancelledBeforeStart()),
  };
  setDeadline(waiting);
  if (call.cancellation !== undefined) call.cancellation.target = { cancel: () => giveUp(cancelledBeforeStart()) };

  function leaveLine(): void {
    liftDeadline(waiting);
    if (call.cancellation !== undefined) call.cancellation.target = undefined;
  }
}

function busy(): CallError {
  return new CallError("busy", "The tool is at its limit of concurrent calls. Nothing ran; call again in a moment.", {
    retryAfterMs: 1000,
  });
}
