import { randomBytes } from "node:crypto";
import type { Context, Span } from "@opentelemetry/api";
import { liftDeadline, setDeadline } from "./deadline.ts";
import { CallError } from "./errors.ts";
import { toCallError, toErrorBody } from "./failure.ts";
import type { Gate } from "./gate.ts";
import { describeIssues, toIssues } from "./issues.ts";
import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json-schema.ts";
import { createOkOutcome, type ErrorOutcome, type Outcome, outcomeCode } from "./outcome.ts";
import type { CallRecord, RegisteredTool, Registry } from "./registry.ts";
import { repairArguments, type Repaired } from "./repair.ts";
import { toResultJson } from "./result.ts";
import {
  CallContext,
  type Cancellation,
  cancelledBeforeStart,
  type Listener,
  RunningCall,
  type Stoppable,
  timedOut,
} from "./running-call.ts";
import { endSpan, runInSpan, startSpan } from "./span.ts";
import { closest } from "./suggest.ts";

/** A call as a door hands it in. */
export interface Call {
  readonly name: string;
  /** Handed to the tool as they are. */
  readonly arguments: unknown;
  /** Who calls: the hash of a key, or anonymous. @default "anonymous" */
  readonly caller?: string | undefined;
  /** Shortens the tool's time limit; a longer one is cut to it. */
  readonly timeoutMs?: number | undefined;
  /** Mend arguments that fail their check. @default false */
  readonly repair?: boolean | undefined;
  /** Refuse to run another declaration than the one with this hash. */
  readonly hash?: string | undefined;
  /** The names that may be called; to this call there are no others. @default all */
  readonly only?: ReadonlySet<string> | undefined;
  /** The caller's `Toolhost-Session`. */
  readonly session?: string | undefined;
  /** Wait for a slot of a busy tool as long as the time limit allows. @default false */
  readonly patient?: boolean | undefined;
  readonly cancellation?: Cancellation | undefined;
  readonly listener?: Listener | undefined;
  /** The trace that the call is part of. */
  readonly parent?: Context | undefined;
}

/**
 * Runs a tool: find it, check the arguments, admit the call, run it in time, check the result. Every door goes through
 * here. Never rejects: whatever goes wrong is an outcome.
 */
export async function invoke(registry: Registry, call: Call): Promise<Outcome> {
  const entry = call.only === undefined || call.only.has(call.name) ? registry.find(call.name) : undefined;
  if (entry === undefined) return failedOutcome(unknownTool(registry, call.name, call.only));

  const run = new RunningCall(registry, entry, call, nextCallId());
  let span: Span | undefined;
  let repaired: Repaired | undefined;
  let outcome: Outcome;
  let cause: unknown;
  try {
    span = startSpan(entry, run.callId, call.parent);
    refuseUnlessReady(entry, call);
    repaired = checkArguments(entry, call);
    // Awaited only where there is something to wait for: a tool starts in the turn that brought its call.
    const slot = entry.gate === undefined ? undefined : admit(entry.gate, run);
    if (slot !== undefined) await slot;
    const returned = execute(run, span, (repaired?.value ?? call.arguments) as JsonObject);
    const result = isThenable(returned) ? await run.wait(returned) : returned;
    run.finish();
    outcome = checkResult(entry, run.callId, result);
  } catch (thrown) {
    const error = run.isOverdue ? run.stop(timedOut(run)) : toCallError(thrown, entry.safe);
    run.end();
    cause = error.cause;
    outcome = failedOutcome(error, entry.safe, run.callId);
  }
  if (repaired !== undefined) Object.assign(outcome, { repairs: repaired.repairs });
  tell(run, span, outcomeCode(outcome), cause);
  return outcome;
}

/** The outcome of a failure that no tool had a part in, such as a request that never became a call. */
export function failedOutcome(error: CallError, safe = false, callId?: string): ErrorOutcome {
  const body = toErrorBody(error, safe);
  return callId === undefined ? { status: "error", error: body } : { status: "error", callId, error: body };
}

export function unknownTool(registry: Registry, name: string, only?: ReadonlySet<string>): CallError {
  const listed = registry.list().map((entry) => entry.tool.name);
  const suggestion = closest(name, only === undefined ? listed : listed.filter((each) => only.has(each)));
  const hint = suggestion === undefined ? "Use one of the listed tools." : `Did you mean ${suggestion}?`;
  const extras = suggestion === undefined ? {} : { suggestion };
  return new CallError("unknown_tool", `There is no tool of this name. ${hint}`, extras);
}

/** Ends the span and tells the observer. One that fails is no reason for a call to fail. */
function tell(run: RunningCall, span: Span | undefined, code: CallRecord["code"], cause: unknown): void {
  const { callId, entry, call, elapsedMs: ms } = run;
  const { caller = "anonymous" } = call;
  try {
    if (span !== undefined) endSpan(span, code);
    run.registry.observer.onCall?.({ callId, tool: entry.tool.name, source: entry.source, caller, code, ms, cause });
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

const processPart = randomBytes(6).toString("base64url");
let calls = 0;

function nextCallId(): string {
  return `${processPart}-${(++calls).toString(36)}`;
}

function refuseUnlessReady(entry: RegisteredTool, call: Call): void {
  if (call.timeoutMs !== undefined && !(call.timeoutMs >= 1)) {
    throw new CallError("bad_request", "timeoutMs must be a number of at least 1.");
  }
  if (entry.unavailable !== undefined) {
    throw new CallError("unavailable", `The tool cannot run now: ${entry.unavailable}.`);
  }
  if (call.hash !== undefined && call.hash !== entry.declaration.hash) {
    throw new CallError(
      "declaration_changed",
      "The tool's declaration is not the one that this call was made for. Read the tool again and make the call anew.",
    );
  }
}

/** @returns the repaired arguments, or undefined where they are good as they came */
function checkArguments(entry: RegisteredTool, call: Call): Repaired | undefined {
  if (isJsonObject(call.arguments) && entry.parameters.accepts(call.arguments)) return undefined;
  const repaired = call.repair === true ? repairArguments(entry.parameters, call.arguments) : undefined;
  if (repaired !== undefined) return repaired;
  const issues = toIssues(entry.parameters.findings(call.arguments));
  // A schema that allows more than objects does not make the arguments anything else.
  if (issues.length === 0) issues.push({ path: "", message: "must be object", keyword: "type", expected: "object" });
  throw new CallError(
    "invalid_arguments",
    `The arguments do not fit the tool's parameters: ${describeIssues(issues)}. Correct them and call again.`,
    { issues },
  );
}

/** Takes a slot of the tool, waiting for one where none is free. */
function admit(gate: Gate, run: RunningCall): Promise<void> | undefined {
  if (!gate.enter()) return waitForSlot(gate, run);
  run.slot = gate;
  return undefined;
}

function waitForSlot(gate: Gate, run: RunningCall): Promise<void> {
  const { registry, call, timeoutMs, startedAt } = run;
  const waitMs = call.patient === true ? timeoutMs : Math.min(registry.queueMs, timeoutMs);
  if (waitMs <= 0) throw busy();
  return new Promise((resolve, reject) => {
    const place = gate.wait(() => {
      run.slot = gate;
      done();
      resolve();
    });
    const giveUp = (error: CallError): void => {
      place.giveUp();
      done();
      reject(error);
    };
    const waiting: Stoppable = {
      registry,
      expiresAt: startedAt + waitMs,
      onExpire: () => giveUp(busy()),
      // Whatever stops it: the tool has not been started.
      stop: () => giveUp(cancelledBeforeStart()),
    };
    setDeadline(waiting);
    if (call.cancellation !== undefined) call.cancellation.onCancel = () => giveUp(cancelledBeforeStart());

    function done(): void {
      liftDeadline(waiting);
      if (call.cancellation !== undefined) call.cancellation.onCancel = undefined;
    }
  });
}

function execute(run: RunningCall, span: Span | undefined, args: JsonObject): unknown {
  const { tool } = run.entry;
  if (run.call.cancellation?.cancelled === true) throw cancelledBeforeStart();
  const context = new CallContext(run);
  run.started = true;
  if (span === undefined) return tool.execute(args, context);
  return runInSpan(span, run.call.parent, () => tool.execute(args, context));
}

function checkResult(entry: RegisteredTool, callId: string, returned: unknown): Outcome {
  const { value, text } = toResultJson(returned, entry.resultBytes);
  if (entry.response === undefined || entry.response.accepts(value)) return createOkOutcome(callId, value, text);
  const issues = toIssues(entry.response.findings(value));
  throw new CallError(
    "invalid_result",
    `The tool returned a result that breaks its own schema: ${describeIssues(issues)}. This is a fault of the tool; other arguments may avoid it.`,
    { issues },
  );
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== "object" && typeof value !== "function") return false;
  try {
    return value !== null && "then" in value && typeof value.then === "function";
  } catch {
    return false; // Its getter throws: the check of the result will say so.
  }
}

function busy(): CallError {
  return new CallError("busy", "The tool is at its limit of calls at once. Nothing ran; call again in a moment.", {
    retryAfterMs: 1000,
  });
}
