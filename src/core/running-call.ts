import { type Deadline, liftDeadline, now, pendingDeadlines, setDeadline } from "./deadline.ts";
import { CallError } from "./errors.ts";
import type { Gate } from "./gate.ts";
import type { Call } from "./invoke.ts";
import type { JsonObject } from "./json-schema.ts";
import type { Registry, RegisteredTool } from "./registry.ts";
import type { LogLevel, Progress, ToolContext } from "./tool.ts";

/** Lets a caller take back a call, at the cost of one object: an AbortSignal costs more than the rest of a call. */
export interface Cancellation {
  cancelled: boolean;
  /** Set by the call while it runs. */
  onCancel?: (() => void) | undefined;
}

export function cancel(cancellation: Cancellation): void {
  if (cancellation.cancelled) return;
  cancellation.cancelled = true;
  cancellation.onCancel?.();
}

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

/** What a caller hears of a call while it runs. */
export interface Listener {
  onProgress?(progress: Progress): void;
  onLog?(level: LogLevel, message: string, fields?: JsonObject): void;
}

/**
 * One call from its start to its end: the clock that limits it and the switch that stops it. Ends once, by the tool,
 * the time limit, the caller or the shutdown; what comes later changes nothing.
 *
 * A class, because its fields are made for every call and its methods must not be.
 */
export class RunningCall implements Stoppable {
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
  earlier: Deadline | undefined = undefined;
  later: Deadline | undefined = undefined;
  #endedAt: number | undefined;
  #stop: ((reason: CallError) => void) | undefined;
  #controller: AbortController | undefined;
  #abortReason: DOMException | undefined;

  constructor(registry: Registry, entry: RegisteredTool, call: Call, callId: string) {
    this.registry = registry;
    this.entry = entry;
    this.call = call;
    this.callId = callId;
    this.timeoutMs = call.timeoutMs === undefined ? entry.timeoutMs : Math.min(call.timeoutMs, entry.timeoutMs);
    this.expiresAt = this.startedAt + this.timeoutMs;
  }

  get running(): boolean {
    return this.#endedAt === undefined;
  }

  /** The tool came back when the limit had passed, whatever it came back with. */
  get isOverdue(): boolean {
    return this.started && this.running && now() > this.expiresAt;
  }

  /** Until it ended, or until now. */
  get elapsedMs(): number {
    return (this.#endedAt ?? now()) - this.startedAt;
  }

  /** Waits for the promise, but no longer than the call may last. The tool goes on unheeded where it ignores its signal. */
  wait(pending: PromiseLike<unknown>): Promise<unknown> {
    const { cancellation } = this.call;
    if (cancellation?.cancelled === true) {
      pending.then(undefined, () => undefined); // How the tool ends is heard by nobody, but must not end the process.
      throw this.stop(cancelled());
    }
    setDeadline(this);
    if (cancellation !== undefined) cancellation.onCancel = () => void this.stop(cancelled());
    return new Promise((resolve, reject) => {
      this.#stop = reject;
      pending.then(resolve, reject);
    });
  }

  onExpire(): void {
    this.stop(timedOut(this));
  }

  /** Ends the call from outside: the caller is answered with this error, and the tool's signal is aborted. */
  stop(error: CallError): CallError {
    if (!this.running) return error;
    this.end();
    this.#stop?.(error);
    const name = error.code === "timeout" ? "TimeoutError" : "AbortError";
    this.#abortReason = new DOMException(error.message, name);
    this.#controller?.abort(this.#abortReason);
    return error;
  }

  /**
   * Ends the call with a result at hand.
   * @throws CallError `timeout` where the tool blocked the event loop, so that its limit could not end it in time
   */
  finish(): void {
    if (this.isOverdue) throw this.stop(timedOut(this));
    this.end();
  }

  /** Lifts the limit and frees the slot. Does nothing where it has ended. */
  end(): void {
    if (!this.running) return;
    this.#endedAt = now();
    liftDeadline(this);
    this.slot?.leave();
    if (this.call.cancellation !== undefined) this.call.cancellation.onCancel = undefined;
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

export function timedOut({ timeoutMs, entry }: RunningCall): CallError {
  const again = entry.safe ? "It may be called again." : "It may have had its effect: check before calling it again.";
  return new CallError("timeout", `The tool did not finish within ${timeoutMs} ms. ${again}`);
}

export function cancelled(): CallError {
  return new CallError("cancelled", "The caller left before the tool had finished. It may have had its effect.");
}

export function cancelledBeforeStart(): CallError {
  return new CallError("cancelled", "The call was cancelled before the tool was started. Nothing ran.", {
    ran: "no",
    action: "stop",
  });
}

/**
 * What the tool is given. A class for its getters: they cost nothing until a tool reads them, and what they give may
 * be taken apart (`execute(args, { signal, fetch })`).
 */
export class CallContext implements ToolContext {
  readonly callId: string;
  declare readonly session?: string;
  readonly #call: RunningCall;

  constructor(call: RunningCall) {
    this.#call = call;
    this.callId = call.callId;
    if (call.call.session !== undefined) this.session = call.call.session;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get progress(): ToolContext["progress"] {
    const call = this.#call;
    return ({ progress, total, message }) => {
      if (!call.running || typeof progress !== "number") return;
      call.call.listener?.onProgress?.({
        progress,
        ...(typeof total === "number" && { total }),
        ...(typeof message === "string" && { message }),
      });
    };
  }

  get log(): ToolContext["log"] {
    const { entry, registry, callId, call } = this.#call;
    return (level, message, fields) => {
      const entryOfLog = { callId, tool: entry.tool.name, level, message, ...(fields !== undefined && { fields }) };
      try {
        registry.observer.onToolLog?.(entryOfLog);
        if (this.#call.running) call.listener?.onLog?.(level, message, fields);
      } catch (error) {
        // Who listens is no part of the tool.
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    };
  }

  get fetch(): typeof fetch {
    const call = this.#call;
    return (input, init) => {
      const own = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      const signal = own == null ? call.signal : AbortSignal.any([own, call.signal]);
      return call.registry.fetch(input, { ...init, signal });
    };
  }
}
