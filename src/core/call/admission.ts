import { cancelledBeforeStart } from "../outcome.ts";
import type { Call } from "./call.ts";
import type { Caller } from "../caller.ts";
import { liftDeadline, now, setDeadline } from "../../async/deadline.ts";
import { CallError } from "../../errors/errors.ts";
import type { Gate } from "../../async/gate.ts";
import type { RegisteredTool } from "../registry/registered-tool.ts";
import type { Registry } from "../registry/registry.ts";
import { type RunningCall, type Stoppable } from "./running-call.ts";

/** Calls of one tool that may go on unheeded after their time limit, or after their caller left, before it is given no more. */
export const maxAbandoned = 1000;

/**
 * Finds room for the call in the process, and takes it off what its caller may do.
 * @throws CallError `overloaded`, `rate_limited`
 */
export function admitToService(registry: Registry, caller: Caller | undefined): void {
  const { load, limits } = registry;
  if (load.calls > limits.callsInFlight) {
    throw new CallError(
      "overloaded",
      "The service is at its limit of concurrent calls. Nothing ran; call again in a moment.",
      // Not the same for all, or all would come back at once.
      { retryAfterMs: 1000 + Math.floor(Math.random() * 2000) },
    );
  }
  const waitMs = caller?.meter === undefined ? 0 : caller.meter.take();
  if (waitMs <= 0) return;
  throw new CallError("rate_limited", "Too many calls per minute. Nothing ran; call again later.", {
    retryAfterMs: Math.ceil(waitMs),
  });
}

/** The error for a tool that is known and not listed: nobody but its operator can change that, however often it is called. */
export function notAvailable(reason: string): CallError {
  return new CallError("unavailable", `The tool cannot run: ${reason}. Only its operator can change that.`, {
    action: "stop",
    retryable: false,
  });
}

/** @throws CallError `bad_request`, `unavailable`, `declaration_changed` */
export function refuseUnlessReady(entry: RegisteredTool, call: Call): void {
  if (call.timeoutMs !== undefined && !(call.timeoutMs >= 1)) {
    throw new CallError("bad_request", "timeoutMs must be a number of at least 1.");
  }
  // It is written into answers as it is.
  if (call.callId !== undefined && !/^[\w-]{1,128}$/.test(call.callId)) {
    throw new CallError("bad_request", "callId must be 1 to 128 letters, digits, hyphens and underscores.");
  }
  if (entry.unavailable !== undefined) {
    throw notAvailable(entry.unavailable);
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
 * @param onSlot is called with the slot taken, in a turn of its own: one call that ends must not run all that waited
 * @throws CallError `busy` where it may not wait
 */
export function waitForSlot(gate: Gate, run: RunningCall, onSlot: () => void): void {
  const { registry, call, timeoutMs, startedAt } = run;
  const waitMs = call.patient === true ? timeoutMs : Math.min(registry.limits.queueMs, timeoutMs);
  if (waitMs <= 0) throw busy();
  const place = gate.wait(() => {
    run.slot = gate;
    leaveLine();
    // One that comes when the time is up is no use: the tool would be started to be stopped at once.
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
    // Whatever stops it: the tool has not been started.
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
