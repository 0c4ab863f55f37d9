import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { checkBoundArguments } from "./bound-arguments.ts";
import { refuseOverload, refuseUnlessReady, takeFromRate, waitForSlot } from "./admission.ts";
import type { Call } from "./call.ts";
import { aboutCall, CallContext } from "./call-context.ts";
import { callerName, findTool, findUnread, missingTool } from "../caller.ts";
import { CallError } from "../../errors/errors.ts";
import { toCallError } from "../../errors/failure.ts";
import { describeIssues, issuesOf } from "../../schema/issues.ts";
import { refuseBlocks } from "../../tool/content-blocks.ts";
import { ResultWithBlocks, setBlocks } from "../result-blocks.ts";
import { notify } from "../../async/notify.ts";
import { cancelledBeforeStart, createOkOutcome, failedOutcome, type Outcome } from "../outcome.ts";
import type { RegisteredTool } from "../registry/registered-tool.ts";
import { isRegistry, type Registry } from "../registry/registry.ts";
import { repairArguments, type Repaired } from "../../schema/repair.ts";
import type { WrittenJson } from "../../json/write.ts";
import type { PreparedCall } from "./prepared-call.ts";
import { toResultJson } from "./result.ts";
import { nextCallId, RunningCall } from "./running-call.ts";
import { runWithRetries } from "./retry.ts";
import { runNumbered } from "./current-tool.ts";
import { runInSpan, startSpan } from "./span.ts";
import { isThenable } from "../../async/thenable.ts";
import { repairValue, markRepaired } from "../../json/well-formed.ts";

/**
 * Runs a tool. Every failure is an outcome: it rejects only with a TypeError, for arguments of the wrong type.
 * @example
 * ```ts
 * import { createRegistry, invoke } from "toolhost";
 *
 * const registry = createRegistry();
 * const outcome = await invoke(registry, { name: "add", arguments: { a: 1, b: 2 }, timeoutMs: 500 });
 * if (outcome.status === "ok") console.log(outcome.result);
 * else console.error(outcome.error.code, outcome.error.message);
 * ```
 */
export function invoke(registry: Registry, call: Call): Promise<Outcome> {
  return new Promise((resolve) => {
    refuseUnlessCall(registry, call);
    startCall(registry, call, resolve);
  });
}

/** In JavaScript no compiler checks the types. */
function refuseUnlessCall(registry: unknown, call: unknown): void {
  const isCall = typeof call === "object" && call !== null && "name" in call && typeof call.name === "string";
  if (!isRegistry(registry) || !isCall) {
    throw new TypeError("invoke takes a registry and a call: invoke(registry, { name, arguments })");
  }
}

/**
 * Runs a tool: find what the caller may use, admit the call, check the arguments, run it with its time limit, check the
 * result. Every door uses it. It is {@link invoke} without its promises, which cost a call as much as its checks.
 * @param done is called once, synchronously if the tool returns synchronously; it must not throw
 * @param ready gets the call in place of its run, once its arguments are checked; `done` then gets only a refusal
 */
export function startCall(
  registry: Registry,
  call: Call,
  done: (outcome: Outcome) => void,
  ready?: (prepared: PreparedCall) => void,
): void {
  admitAndRun(registry, call, done, ready, undefined);
}

/** What was checked when a call was prepared. */
interface Checked {
  readonly entry: RegisteredTool;
  readonly args: JsonObject;
  readonly repairs: RunningCall["repairs"];
}

/**
 * The way of a call up to its run. @param ready as for {@link startCall}
 * @param checked for a call that was prepared: its arguments are not checked again if the tool is the same
 */
function admitAndRun(
  registry: Registry,
  call: Call,
  done: (outcome: Outcome) => void,
  ready: ((prepared: PreparedCall) => void) | undefined,
  checked: Checked | undefined,
): void {
  const entry = findTool(registry, call);
  if (entry === undefined) return done(refuseMissing(registry, call));
  const run = new RunningCall(registry, entry, call, done);
  let args: JsonObject;
  try {
    // A prepared call that never runs must not leave a span that never ends.
    if (ready === undefined) run.span = startSpan(entry, run.callId, call);
    refuseOverload(registry);
    if (checked === undefined) takeFromRate(call.caller);
    refuseUnlessReady(entry, call);
    if (checked?.entry === entry) {
      args = checked.args;
      run.repairs = checked.repairs;
    } else {
      args = argumentsOf(run);
    }
    if (ready === undefined && entry.gate !== undefined && !entry.gate.enter()) {
      return waitForSlot(entry.gate, run, () => runTool(run, args));
    }
  } catch (thrown) {
    return run.fail(toCallError(thrown, entry.repeatable));
  }
  if (ready !== undefined) return ready(prepare(run, args));
  run.slot = entry.gate;
  runTool(run, args);
}

/** A request for a tool that does not exist, which is not a call; or a call of a tool whose source was never read. */
function refuseMissing(registry: Registry, call: Call): Outcome {
  const source = findUnread(registry, call)?.source;
  if (source === undefined) return failedOutcome(missingTool(registry, call));
  const { name: tool, caller, callId = nextCallId(), requestId } = call;
  const about = { callId, tool, source, caller: callerName(caller), ms: 0, requestId, isUnread: true } as const;
  let error = missingTool(registry, call);
  try {
    takeFromRate(caller);
  } catch (thrown) {
    error = toCallError(thrown, false);
  }
  notify(() => registry.observer.onCall?.({ ...about, code: error.code }));
  return failedOutcome(error, false, callId);
}

/** Ends the count of the call, which uses nothing until it runs. */
function prepare(run: RunningCall, args: JsonObject): PreparedCall {
  const { registry, entry, callId, repairs } = run;
  const call = { ...run.call, callId };
  registry.load.calls--;
  return {
    call,
    arguments: args,
    repairs,
    run: (done) => admitAndRun(registry, call, done, undefined, { entry, args, repairs }),
  };
}

/** The arguments for the tool. @throws CallError if what the call sends is not valid */
function argumentsOf(run: RunningCall): JsonObject {
  const { entry, call } = run;
  const { binding } = entry;
  const checked = binding === undefined ? checkArguments(entry, call) : checkBoundArguments(entry, binding, call);
  if (checked === undefined) return call.arguments as JsonObject;
  if (checked.repairs.length > 0) run.repairs = [...(call.repairs ?? []), ...checked.repairs];
  return checked.value as JsonObject;
}

/** @returns the repaired arguments, or undefined if they are valid unchanged */
function checkArguments(entry: RegisteredTool, call: Call): Repaired | undefined {
  if (isJsonObject(call.arguments) && entry.parameters.accepts(call.arguments)) return undefined;
  const mayRepair = call.repair ?? entry.repair ?? false;
  const repaired = mayRepair ? repairArguments(entry.parameters, call.arguments) : undefined;
  if (repaired !== undefined) return repaired;
  const issues = issuesOf(entry.parameters, call.arguments);
  // Arguments must be an object even if the schema allows other types.
  if (issues.length === 0) issues.push({ path: "", message: "must be object", keyword: "type", expected: "object" });
  throw new CallError(
    "invalid_arguments",
    `The arguments do not match the tool's parameters: ${describeIssues(issues)}. Correct them and call again.`,
    { issues },
  );
}

/** Runs the tool, unless the call was stopped, and checks its result. */
function runTool(run: RunningCall, args: JsonObject): void {
  if (!run.running) return; // Stopped in the turn in which it got its slot.
  const { entry, call, span } = run;
  if (call.cancellation?.cancelled === true) return run.fail(cancelledBeforeStart());
  let returned: unknown;
  try {
    const context = new CallContext(run);
    run.started = true;
    returned =
      span === undefined
        ? callTool(run, args, context)
        : runInSpan(span, call.parent, () => callTool(run, args, context));
    if (isThenable(returned)) {
      return run.wait(returned, finish, fail);
    }
  } catch (thrown) {
    return run.fail(toCallError(thrown, entry.repeatable));
  }
  run.finish(returned, checkResult);
}

/** Calls the tool's function, again after a failure if the tool has retries. */
function callTool(run: RunningCall, args: JsonObject, context: CallContext): unknown {
  const { entry } = run;
  return entry.retries > 0 ? runWithRetries(run, args, context) : runNumbered(entry, args, context);
}

function finish(run: RunningCall, returned: unknown): void {
  run.finish(returned, checkResult);
}

function fail(run: RunningCall, thrown: unknown): void {
  run.fail(toCallError(thrown, run.entry.repeatable));
}

function checkResult(run: RunningCall, returned: unknown): Outcome | CallError {
  const { entry } = run;
  try {
    if (returned instanceof ResultWithBlocks) return checkWithBlocks(run, returned);
    return checkJson(run, toResultJson(returned, entry.resultBytes));
  } catch (thrown) {
    return toCallError(thrown, entry.repeatable);
  }
}

/** Blocks beside a result count towards its size. */
function checkWithBlocks(run: RunningCall, { result, beside }: ResultWithBlocks): Outcome | CallError {
  const { resultBytes } = run.entry;
  const blocks = beside === undefined ? undefined : toResultJson(beside, resultBytes);
  const taken = blocks === undefined ? 0 : Buffer.byteLength(blocks.text);
  const outcome = checkJson(run, toResultJson(result, resultBytes, taken));
  if (outcome instanceof CallError || outcome.status === "error") return outcome;
  return setBlocks(outcome, blocks?.mayHoldHalf === true ? repairValue(blocks.value) : blocks?.value, outcome.result);
}

function checkJson(run: RunningCall, written: WrittenJson): Outcome | CallError {
  return written.mayHoldHalf ? checkMended(run, written) : checkWritten(run, written);
}

/** A tool that cut a text at a length may leave half a surrogate pair, which no provider accepts back. */
function checkMended(run: RunningCall, written: WrittenJson): Outcome | CallError {
  const value = repairValue(written.value);
  if (value === written.value) return checkWritten(run, written);
  warn(run, "The result contained half a surrogate pair. It was replaced by U+FFFD.");
  const outcome = checkWritten(run, { value, text: JSON.stringify(value) });
  return outcome instanceof CallError ? outcome : markRepaired(outcome);
}

function checkWritten(run: RunningCall, { value, text }: Pick<WrittenJson, "value" | "text">): Outcome | CallError {
  const { entry, callId } = run;
  const refusal = entry.tool.contentBlocks === true ? refuseBlocks(value) : undefined;
  if (refusal !== undefined) return refusal;
  if (entry.response === undefined || entry.response.accepts(value)) return createOkOutcome(callId, value, text);
  const issues = issuesOf(entry.response, value);
  const problem = `The tool returned a result that does not match its own schema: ${describeIssues(issues)}.`;
  if (!entry.toleratesResults) {
    return new CallError("invalid_result", `${problem} This is a fault of the tool; other arguments may avoid it.`, {
      issues,
    });
  }
  warn(run, problem);
  return createOkOutcome(callId, value, text);
}

function warn(run: RunningCall, message: string): void {
  notify(() => run.registry.observer.onToolLog?.({ ...aboutCall(run), level: "warn", message }));
}
