import { readLogLevel } from "../../tool/log-level.ts";
import { readProgress } from "../../tool/progress.ts";
import { callerName } from "../caller.ts";
import { joinSignals } from "../../async/join-signals.ts";
import { notify } from "../../async/notify.ts";
import { now } from "../../async/deadline.ts";
import type { Cancellable } from "./call.ts";
import type { SourceContext, TraceHeaders } from "../source-context.ts";
import type { ToolLogEntry } from "../observer.ts";
import type { RunningCall } from "./running-call.ts";
import { traceHeadersOf, traceIdOf } from "./span.ts";
import type { ToolContext } from "../../tool/tool.ts";

/**
 * The context of a tool. A class because of its getters: they cost nothing until a tool reads them, and their values
 * may be destructured (`execute(args, { signal, fetch })`).
 */
export class CallContext implements SourceContext {
  readonly callId: string;
  declare readonly session?: string;
  readonly #run: RunningCall;

  constructor(run: RunningCall) {
    this.#run = run;
    this.callId = run.callId;
    if (run.call.session !== undefined) this.session = run.call.session;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get remainingMs(): number {
    return Math.max(0, Math.floor(this.#run.expiresAt - now()));
  }

  get queueMs(): number {
    const { call, registry } = this.#run;
    return call.patient === true ? this.remainingMs : Math.min(registry.limits.queueMs, this.remainingMs);
  }

  get attempt(): number {
    return this.#run.attempt;
  }

  get trace(): TraceHeaders | undefined {
    return traceHeadersOf(this.#run.span, this.#run.call.parent);
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#run.call.headers ?? noHeaders;
  }

  whenStopped(target: Cancellable): void {
    this.#run.stopTarget = target;
  }

  get progress(): ToolContext["progress"] {
    const run = this.#run;
    return (given) => {
      const progress = readProgress(given);
      if (!run.running || progress === undefined) return;
      notify(() => run.call.listener?.onProgress?.(progress));
    };
  }

  get log(): ToolContext["log"] {
    const run = this.#run;
    const { registry, call } = run;
    return (given, message, fields) => {
      const level = readLogLevel(given);
      const entryOfLog = { ...aboutCall(run), level, message, ...(fields !== undefined && { fields }) };
      notify(() => registry.observer.onToolLog?.(entryOfLog));
      if (run.running) notify(() => call.listener?.onLog?.(level, message, fields));
    };
  }

  get fetch(): typeof fetch {
    const run = this.#run;
    return (input, init) => {
      const own = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      const signal = own == null ? run.signal : joinSignals([own, run.signal]);
      return run.registry.fetch(input, { ...init, signal });
    };
  }
}

const noHeaders: Readonly<Record<string, string>> = {};

/** The fields of a tool's log entry that identify its call. */
export function aboutCall({
  callId,
  entry,
  call,
  span,
}: RunningCall): Pick<ToolLogEntry, "callId" | "tool" | "caller" | "requestId" | "traceId"> {
  return {
    callId,
    tool: entry.tool.name,
    caller: callerName(call.caller),
    requestId: call.requestId,
    traceId: traceIdOf(span, call.parent),
  };
}
