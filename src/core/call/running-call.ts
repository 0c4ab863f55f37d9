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

/** A call under way, as the shutdown sees it. */
export interface Stoppable extends Deadline {
  readonly registry: Registry;
  stop(error: CallError): void;
}

/** The calls of a registry that wait, for their tool or for a slot of it. Found through their deadlines. */
export function runningCalls(registry: Registry): Stoppable[] {
  return pendingDeadlines().filter(
    (deadline): deadline is Stoppable => "registry" in deadline && deadline.registry === registry,
  );
}

/** Stops every call of a registry: first those that wait for a slot, for the others free theirs. */
export function stopCalls(registry: Registry, error: CallError): void {
  const calls = runningCalls(registry);
  for (const call of calls) if (!(call instanceof RunningCall)) call.stop(error);
  for (const call of calls) if (call instanceof RunningCall) call.stop(error);
}

/**
 * One call from its start to its outcome: the clock that limits it and the switch that stops it. Ends once, by the
 * tool, the time limit, the caller or the shutdown; what comes later changes nothing.
 *
 * A class, because its fields are made for every call and its methods must not be.
 */
export class RunningCall implements Stoppable, Cancellable {
  readonly registry: Registry;
  readonly entry: RegisteredTool;
  readonly call: Call;
  readonly callId: string;
  readonly timeoutMs: number;
  readonly startedAt = now();
  readonly expiresAt: number;
  /** The tool was called. What goes wrong before that is no matter of time. */
  started = false;
  /** The gate of which it holds a slot, to be left when it ends. */
  slot: Gate | undefined = undefined;
  span: Span | undefined = undefined;
  repairs: readonly Repair[] | undefined;
  earlier: Deadline | undefined = undefined;
  later: Deadline | undefined = undefined;
  readonly #done: (outcome: Outcome) => void;
  #endedAt: number | undefined = undefined;
  /** The tool gave a promise, which has not settled. */
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

  /** The tool came back when the limit had passed, whatever it came back with. */
  get isOverdue(): boolean {
    return this.started && this.running && now() > this.expiresAt;
  }

  /**
   * Waits for the tool's promise, but no longer than the call may last. The tool goes on unheeded where it ignores its
   * signal, and is counted among the abandoned until it ends.
   * @param settle is called with this call and the result, unless the call was stopped before; one function for all calls
   * @param fail likewise, with what the promise was rejected with
   * @throws what `then` throws, for a thenable that is no promise; the call must then be failed
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

  /** @returns whether anyone still waits for the tool */
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

  /** Ends the call from outside: the caller is answered with this error, and the tool's signal is aborted. */
  stop(error: CallError): void {
    if (!this.running) return;
    if (this.#isPending) this.entry.abandoned.count++;
    this.#end();
    this.#abortReason = new DOMException(error.message, error.code === "timeout" ? "TimeoutError" : "AbortError");
    this.#controller?.abort(this.#abortReason);
    this.#conclude(failedOutcome(error, this.entry.repeatable, this.callId), error.code, error.cause);
  }

  /** Ends the call with a failure. */
  fail(error: CallError): void {
    if (!this.running) return;
    this.#isPending = false; // A thenable that threw may call back all the same, and is not heard.
    if (this.isOverdue) return this.stop(timedOut(this));
    this.#end();
    this.#conclude(failedOutcome(error, this.entry.repeatable, this.callId), error.code, error.cause);
  }

  /**
   * Ends the call with what the tool returned. The clock stops before that is looked at.
   * @param check makes the outcome; what it throws is not caught here
   */
  finish(returned: unknown, check: (run: RunningCall, returned: unknown) => Outcome | CallError): void {
    // A tool that blocked the event loop comes back before its limit could end it.
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

  /** Ends the span and tells the observer. One that fails is no reason for a call to fail. */
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

  /** Made when it is first asked for. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }
}

const nextCallId = createIds("-");

function timedOut({ timeoutMs, entry }: RunningCall): CallError {
  const again = entry.repeatable
    ? "It may be called again."
    : "The tool may have taken effect: check before calling it again.";
  return new CallError("timeout", `The tool did not finish within ${timeoutMs} ms. ${again}`);
}

function cancelled(): CallError {
  return new CallError("cancelled", "The caller left before the tool had finished. The tool may have taken effect.");
}
