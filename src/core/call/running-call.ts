import type { Span } from "@opentelemetry/api";
import type { CallRecord } from "../observer.ts";
import type { Call, Cancellable } from "./call.ts";
import { callerName } from "../caller.ts";
import { type Deadline, liftDeadline, now, pendingDeadlines, setDeadline } from "../../async/deadline.ts";
import { CallError } from "../../errors/errors.ts";
import type { Gate } from "../../async/gate.ts";
import { failedOutcome, type Outcome } from "../outcome.ts";
import type { RegisteredTool } from "../registry/registered-tool.ts";
import type { Registry } from "../registry/registry.ts";
import type { Repair } from "../../schema/repair.ts";
import { endSpan, traceIdOf } from "./span.ts";
import { createIds } from "../process-ids.ts";
import { repairValue } from "../../json/well-formed.ts";

/** A running call, as the shutdown needs it. */
export interface Stoppable extends Deadline {
  readonly registry: Registry;
  stop(error: CallError): void;
}

/** The calls of a registry that wait for their tool or for a slot of it. Found through their deadlines. */
export function runningCalls(registry: Registry): Stoppable[] {
  return pendingDeadlines().filter(
    (deadline): deadline is Stoppable => "registry" in deadline && deadline.registry === registry,
  );
}

/** Stops every call of a registry: first those that wait for a slot, because the others free theirs. */
export function stopCalls(registry: Registry, error: CallError): void {
  const calls = runningCalls(registry);
  for (const call of calls) if (!(call instanceof RunningCall)) call.stop(error);
  for (const call of calls) if (call instanceof RunningCall) call.stop(error);
}

/**
 * One call from its start to its outcome, with its time limit and its cancellation. It ends once, by the tool, the time
 * limit, the caller or the shutdown; later events change nothing.
 *
 * A class, because its fields are created for every call and its methods must not be.
 */
export class RunningCall implements Stoppable, Cancellable {
  readonly registry: Registry;
  readonly entry: RegisteredTool;
  readonly call: Call;
  readonly callId: string;
  readonly timeoutMs: number;
  readonly startedAt = now();
  readonly expiresAt: number;
  /** The tool was called. Failures before that are not due to the time limit. */
  started = false;
  /** How often the tool has been run for this call, this time included. */
  attempt = 1;
  /** The gate of its slot, which is released when it ends. */
  slot: Gate | undefined = undefined;
  span: Span | undefined = undefined;
  repairs: readonly Repair[] | undefined;
  /** Cancelled when the call is stopped. An object, for the same reason as in a cancellation. */
  stopTarget: Cancellable | undefined = undefined;
  earlier: Deadline | undefined = undefined;
  later: Deadline | undefined = undefined;
  readonly #done: (outcome: Outcome) => void;
  #endedAt: number | undefined = undefined;
  /** The tool returned a promise, which has not settled. */
  #isPending = false;
  #controller: AbortController | undefined = undefined;
  #abortReason: DOMException | undefined = undefined;

  constructor(registry: Registry, entry: RegisteredTool, call: Call, done: (outcome: Outcome) => void) {
    this.registry = registry;
    this.entry = entry;
    this.call = call;
    this.callId = call.callId ?? nextCallId();
    this.repairs = call.repairs;
    this.timeoutMs = call.timeoutMs === undefined ? entry.timeoutMs : Math.min(call.timeoutMs, entry.timeoutMs);
    this.expiresAt = this.startedAt + this.timeoutMs;
    this.#done = done;
    registry.load.calls++;
  }

  get running(): boolean {
    return this.#endedAt === undefined;
  }

  /** Whether the tool returned after the limit had passed, with any result. */
  get isOverdue(): boolean {
    return this.started && this.running && now() > this.expiresAt;
  }

  /**
   * Waits for the tool's promise, but no longer than the call may last. A tool that ignores its signal continues, and
   * is counted among the abandoned until it ends.
   * @param settle is called with this call and the result, unless the call was stopped before; one function for all
   * calls
   * @param fail likewise, with the rejection of the promise
   * @throws what `then` throws, for a thenable that is not a promise; the call must then be failed
   */
  wait(
    pending: PromiseLike<unknown>,
    settle: (run: RunningCall, value: unknown) => void,
    fail: (run: RunningCall, thrown: unknown) => void,
  ): void {
    this.#isPending = true;
    // No try here: with one, V8 keeps what a call leaves behind until the next full collection, a tenth of its cost.
    pending.then(
      (value) => this.#settled() && settle(this, value),
      (thrown: unknown) => this.#settled() && fail(this, thrown),
    );
    if (!this.running) return;
    const { cancellation } = this.call;
    if (cancellation?.cancelled === true) return this.stop(cancelled());
    setDeadline(this);
    if (cancellation !== undefined) cancellation.target = this;
  }

  /** @returns whether the call still waits for the tool */
  #settled(): boolean {
    if (!this.#isPending) return false; // A thenable may call back twice.
    this.#isPending = false;
    if (this.running) return true;
    this.entry.abandoned.count--;
    return false;
  }

  onExpire(): void {
    this.stop(timedOut(this));
  }

  cancel(): void {
    this.stop(cancelled());
  }

  /** Ends the call from outside: the caller gets this error, and the tool's signal aborts. */
  stop(error: CallError): void {
    if (!this.running) return;
    if (this.#isPending) this.entry.abandoned.count++;
    this.#end();
    this.#abortReason = new DOMException(error.message, error.code === "timeout" ? "TimeoutError" : "AbortError");
    this.#controller?.abort(this.#abortReason);
    this.stopTarget?.cancel();
    this.#conclude(failedOutcome(error, this.entry.repeatable, this.callId), error.code, error.cause);
  }

  /** Ends the call with a failure. */
  fail(error: CallError): void {
    if (!this.running) return;
    this.#isPending = false; // A thenable that threw may still call back, and is ignored.
    // That it did not run is the better answer: a call may have waited for its source until the limit.
    if (this.isOverdue && !isBeforeRun(error)) return this.stop(timedOut(this));
    this.#end();
    this.#conclude(failedOutcome(error, this.entry.repeatable, this.callId), error.code, error.cause);
  }

  /**
   * Ends the call with the tool's return value. The clock stops before the value is checked.
   * @param check makes the outcome; what it throws is not caught here
   */
  finish(returned: unknown, check: (run: RunningCall, returned: unknown) => Outcome | CallError): void {
    // A tool that blocked the event loop returns before its limit could end it.
    if (this.isOverdue) return this.stop(timedOut(this));
    this.#end();
    const checked = check(this, returned);
    if (checked instanceof CallError) {
      this.#conclude(failedOutcome(checked, this.entry.repeatable, this.callId), checked.code, checked.cause);
    } else {
      this.#conclude(checked, "ok", undefined);
    }
  }

  /** Lifts the limit and frees the slot. */
  #end(): void {
    this.#endedAt = now();
    liftDeadline(this);
    this.registry.load.calls--;
    this.slot?.leave();
    if (this.call.cancellation !== undefined) this.call.cancellation.target = undefined;
  }

  #conclude(outcome: Outcome, code: CallRecord["code"], cause: unknown): void {
    if (this.repairs !== undefined) Object.assign(outcome, { repairs: repairValue(this.repairs) });
    this.#tell(code, cause);
    this.#done(outcome);
  }

  /** Ends the span and notifies the observer. A failure of either must not make the call fail. */
  #tell(code: CallRecord["code"], cause: unknown): void {
    const { callId, entry, call, span, registry } = this;
    const ms = this.#endedAt! - this.startedAt;
    try {
      if (span !== undefined) endSpan(span, code);
      registry.observer.onCall?.({
        callId,
        tool: entry.tool.name,
        source: entry.source,
        caller: callerName(call.caller),
        code,
        ms,
        requestId: call.requestId,
        traceId: traceIdOf(span, call.parent),
        cause,
      });
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  /** Created on first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }
}

export const nextCallId = createIds("-");

function timedOut({ timeoutMs, entry }: RunningCall): CallError {
  const again = entry.repeatable
    ? "It may be called again."
    : "The tool may have taken effect: check before calling it again.";
  return new CallError("timeout", `The tool did not finish within ${timeoutMs} ms. ${again}`);
}

function isBeforeRun({ code }: CallError): boolean {
  return code === "busy" || code === "unavailable";
}

function cancelled(): CallError {
  return new CallError("cancelled", "The caller left before the tool had finished. The tool may have taken effect.");
}
