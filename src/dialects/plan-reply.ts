import { CallError } from "../errors/errors.ts";
import { createOkOutcome, type Outcome } from "../core/outcome.ts";
import { maxCalls, type BatchEntry } from "../core/call/batch.ts";
import { declaredToolOf } from "./declared-tool.ts";
import { blocksOf } from "../core/result-blocks.ts";
import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { CallResult, Dialect } from "./dialect.ts";
import type { ReplyCall } from "./reply.ts";
import { createValuesLeft } from "./reading/arguments.ts";
import { meantName, readWrappedCall, unwrapCall, type WrappedCall } from "./reading/wrappers.ts";
import { createRestorer, type Restorer } from "./restore/restore.ts";
import { hiddenMedia, type Shows, textOf } from "./media.ts";
import { readableJson } from "./results.ts";

/** Finds a tool that the caller may use. */
type FindTool = (name: string) => RegisteredTool | undefined;

/** One run that a reply requires. */
interface PlannedRun {
  /** The tool's name if it exists; otherwise the name that the model wrote. */
  readonly name: string;
  readonly tool: Tool | undefined;
  readonly plan: BatchEntry;
}

/** A call of a reply with its runs: one, those inside a wrapper, or none if it only repeats another call. */
export interface PlannedReplyCall {
  readonly call: ReplyCall;
  readonly isWrapper: boolean;
  readonly runs: readonly PlannedRun[];
}

/** A planned call with the outcomes of its runs, in their order. */
export interface EndedReplyCall extends PlannedReplyCall {
  readonly outcomes: readonly Outcome[];
}

/**
 * Plans the runs for a reply, at most {@link maxCalls}. A call beyond the limit gets an error; a wrapper is refused as
 * a whole.
 */
export function planCalls(dialect: Dialect, calls: readonly ReplyCall[], find: FindTool): PlannedReplyCall[] {
  const isKnown = (name: string): boolean => find(name) !== undefined;
  const restore = createRestorer(dialect);
  const valuesLeft = createValuesLeft();
  let left = maxCalls;
  return calls.map((call) => {
    if (call.twinOf !== undefined) return { call, isWrapper: false, runs: [] };
    const own: WrappedCall = { ...call, value: call.arguments };
    const uses = call.refusal === undefined ? unwrapCall(call.name, call.arguments, isKnown) : undefined;
    const count = uses?.length ?? (call.refusal === undefined ? 1 : 0);
    const fits = count <= left;
    if (fits) left -= count;
    const isWrapper = fits && uses !== undefined;
    const asked = isWrapper
      ? uses.map((use) => readWrappedCall(use, valuesLeft))
      : [fits ? own : { ...own, refusal: tooMany() }];
    return { call, isWrapper, runs: asked.map((one) => planRun(one, find, restore, call.id)) };
  });
}

/** All runs for a reply, in one list. */
export function toBatch(planned: readonly PlannedReplyCall[]): BatchEntry[] {
  return planned.flatMap(({ runs }) => runs.map(({ plan }) => plan));
}

/**
 * How often the outcome of each run in that list may be written: once, and once more for each call that repeats its
 * call.
 */
export function copiesOf(planned: readonly PlannedReplyCall[]): number[] {
  const copies = planned.map(() => 1);
  for (const { call } of planned) if (call.twinOf !== undefined) copies[call.twinOf]!++;
  return planned.flatMap(({ runs }, index) => runs.map(() => copies[index]!));
}

/** Assigns to each call the outcomes of its runs, which are in the order of {@link toBatch}. */
export function withOutcomes(planned: readonly PlannedReplyCall[], outcomes: readonly Outcome[]): EndedReplyCall[] {
  let next = 0;
  const ended = planned.map((call) => ({ ...call, outcomes: outcomes.slice(next, (next += call.runs.length)) }));
  return ended.map((one) => {
    const first = one.call.twinOf === undefined ? undefined : ended[one.call.twinOf];
    return first === undefined ? one : { ...first, call: one.call };
  });
}

/** The result of a call. The result of a wrapper is the list of results that each of its runs would have had. */
export function toCallResult({ call, isWrapper, runs, outcomes }: EndedReplyCall): CallResult {
  return isWrapper
    ? { call, outcome: joinOutcomes(call, runs, outcomes), tool: undefined }
    : { call, outcome: outcomes[0]!, tool: runs[0]?.tool };
}

/** Describes, for people, what the format cannot show of a call's result; undefined if it shows everything. */
export function describeHidden(dialect: Dialect, ended: EndedReplyCall): string | undefined {
  const { call, isWrapper, runs, outcomes } = ended;
  if (call.twinOf !== undefined) return undefined;
  const shows: Shows = (media) => !isWrapper && dialect.shows?.(media, call) === true;
  const lines = outcomes.flatMap((outcome, at) => hiddenMedia({ call, outcome, tool: runs[at]?.tool }, shows));
  if (lines.length === 0) return undefined;
  return `The format cannot represent what the tool returned: the model reads ${lines.slice(0, 10).join(" ")} instead.`;
}

/** One combined result cannot contain media. */
function joinOutcomes(call: ReplyCall, runs: readonly PlannedRun[], outcomes: readonly Outcome[]): Outcome {
  const texts = outcomes.map((outcome, index) => {
    const tool = runs[index]?.tool;
    return blocksOf(outcome, tool) !== undefined
      ? JSON.stringify(textOf({ call, outcome, tool }))
      : readableJson(outcome);
  });
  const results = outcomes.map((outcome) => (outcome.status === "ok" ? outcome.result : { error: outcome.error }));
  return createOkOutcome("", results, `[${texts.join(",")}]`);
}

function planRun(
  { name: wireName, value, repairs, refusal }: WrappedCall,
  find: FindTool,
  restore: Restorer,
  modelCallId: string | undefined,
): PlannedRun {
  const name = meantName(wireName, (known) => find(known) !== undefined);
  const entry = find(name);
  const tool = entry === undefined ? undefined : declaredToolOf(entry);
  if (refusal !== undefined) return { name, tool, plan: refusal };
  const restored =
    entry === undefined
      ? { value, repairs: [] }
      : restore(entry.tool.parameters, value, (args) => entry.parameters.accepts(args));
  const allRepairs = [...repairs, ...restored.repairs];
  const plan: BatchEntry = {
    name,
    modelCallId,
    arguments: restored.value,
    repairs: allRepairs.length === 0 ? undefined : allRepairs,
    // A model's arguments are repaired unless the operator has forbidden it for the tool.
    repair: entry?.repair ?? true,
    hash: undefined,
  };
  return { name, tool, plan };
}

function tooMany(): CallError {
  return new CallError(
    "overloaded",
    `At most ${maxCalls} calls of a reply are run. Call this one again in another turn.`,
  );
}
