import { takeFreeId } from "../dialects/reading/free-id.ts";
import { cancel, type Cancellation } from "../core/call/call.ts";
import { runBatch } from "../core/call/batch.ts";
import { cancelledBeforeStart, failedOutcome } from "../core/outcome.ts";
import type { CallResult, Dialect } from "../dialects/dialect.ts";
import {
  describeHidden,
  type EndedReplyCall,
  withOutcomes,
  type PlannedReplyCall,
  planCalls,
  toBatch,
  toCallResult,
} from "../dialects/plan-reply.ts";
import { readArgumentsText } from "../dialects/reading/arguments.ts";
import type { Reply, ReplyCall } from "../dialects/reply.ts";
import { textOf } from "../dialects/media.ts";
import { unlessAborted } from "./signals.ts";
import type { AgentTools } from "./tools.ts";
import type { ChatToolCall, ToolCall, ToolMessage } from "./types.ts";

/** The calls of a turn, until their results are in the conversation. */
export interface OpenCalls {
  readonly toolCalls: readonly ToolCall[];
  /** Runs one of them, once. @returns undefined if it is not one of them, or has already run */
  run(call: ToolCall, signal: AbortSignal | undefined): Promise<ToolMessage> | undefined;
  /** Runs the calls that were not run yet, concurrently. */
  runAll(signal: AbortSignal | undefined): Promise<void>;
  /** The calls, with the outcomes of those that were run. */
  ended(): ChatToolCall[];
  /** The results so far. */
  messages(): ToolMessage[];
  /**
   * Waits for the running calls and answers the others with an error: a provider refuses a conversation that contains a
   * call without an answer. No further call is run from then on.
   * @throws the signal's reason; the calls then stay open
   */
  close(signal?: AbortSignal): Promise<ClosedCalls>;
}

export interface ClosedCalls {
  /** The provider's own items, to be appended to the conversation. */
  readonly items: readonly unknown[];
  readonly messages: readonly ToolMessage[];
  /** What the format could not show of the results. */
  readonly warnings: readonly string[];
}

interface OpenCall {
  readonly toolCall: ToolCall;
  planned: PlannedReplyCall;
  running: Promise<EndedReplyCall> | undefined;
  warning: string | undefined;
  result: CallResult | undefined;
}

/** @param itemsBefore number of items in the conversation: generated ids differ from all earlier ones */
export function createOpenCalls(dialect: Dialect, tools: AgentTools, reply: Reply, itemsBefore: number): OpenCalls {
  const plan = (calls: readonly ReplyCall[]): PlannedReplyCall[] => planCalls(dialect, calls, tools.find);
  const plans = plan(reply.calls);
  const ids = uniqueIds(plans, itemsBefore);
  const calls = plans.map((planned, index): OpenCall => ({
    toolCall: toToolCall(planned, ids[index]!),
    planned,
    running: undefined,
    warning: undefined,
    result: undefined,
  }));

  let isClosing = false;

  /** A caller that runs a call by hand may have changed it before. */
  function replan(call: ReplyCall, { function: { name, arguments: text } }: ToolCall): PlannedReplyCall {
    const { value, repairs, refusal } = readArgumentsText(text);
    const left = call.refusalIsArguments ? refusal : (call.refusal ?? refusal);
    return plan([{ ...call, name, arguments: value, repairs, refusal: left }])[0]!;
  }

  async function runOne(open: OpenCall, signal: AbortSignal | undefined): Promise<CallResult> {
    // Deferred: a tool that asks for its own call must find it running.
    open.running ??= Promise.resolve().then(() => runCall(tools, open.planned, signal));
    const ended = await open.running;
    const hidden = describeHidden(dialect, ended);
    open.warning = hidden && `${open.toolCall.function.name}: ${hidden}`;
    open.result = toCallResult(ended);
    return open.result;
  }

  return {
    toolCalls: calls.map(({ toolCall }) => toolCall),
    run(call, signal) {
      const open = calls.find(({ toolCall }) => toolCall.id === call.id);
      if (open === undefined || open.running !== undefined || isClosing) return undefined;
      if (!isSame(open.toolCall, call)) open.planned = replan(open.planned.call, call);
      return runOne(open, signal).then((result) => toMessage(open.toolCall, result));
    },
    runAll: async (signal) => void (await Promise.all(calls.map((open) => runOne(open, signal)))),
    ended: () => calls.map(({ toolCall, result }) => (result ? { ...toolCall, outcome: result.outcome } : toolCall)),
    messages: () =>
      calls.flatMap(({ toolCall, result }) => (result === undefined ? [] : [toMessage(toolCall, result)])),
    async close(signal) {
      isClosing = true;
      try {
        await unlessAborted(Promise.all(calls.map(async ({ running }) => running)), signal);
      } catch (error) {
        isClosing = false;
        throw error;
      }
      const results = calls.map(({ planned, result }) => result ?? neverRun(planned));
      const items = dialect.writeResults(results).map((text): unknown => JSON.parse(text));
      const isOne = items.length !== calls.length;
      const messages = calls.map(({ toolCall }, index) =>
        toMessage(toolCall, results[index]!, items[isOne ? 0 : index]),
      );
      const warnings = calls.map(({ warning }) => warning).filter((warning) => warning !== undefined);
      return { items, messages, warnings };
    },
  };
}

async function runCall(
  tools: AgentTools,
  planned: PlannedReplyCall,
  signal: AbortSignal | undefined,
): Promise<EndedReplyCall> {
  const cancellations: Cancellation[] = [];
  const leave = (): void => cancellations.forEach(cancel);
  signal?.addEventListener("abort", leave, { once: true });
  const outcomes = await runBatch(toBatch([planned]), (call, _index, done) => {
    const cancellation: Cancellation = { cancelled: signal?.aborted === true };
    cancellations.push(cancellation);
    tools.startCall({ ...call, cancellation, patient: true }, done);
  });
  signal?.removeEventListener("abort", leave);
  return withOutcomes([planned], outcomes)[0]!;
}

function neverRun({ call }: PlannedReplyCall): CallResult {
  return { call, outcome: failedOutcome(cancelledBeforeStart()), tool: undefined };
}

function isSame(call: ToolCall, other: ToolCall): boolean {
  return call.function.name === other.function.name && call.function.arguments === other.function.arguments;
}

/** If the provider matches results by the order of calls, their ids may be missing or equal. */
function uniqueIds(calls: readonly PlannedReplyCall[], itemsBefore: number): string[] {
  const taken = new Set(calls.map(({ call }) => call.id));
  const seen = new Set<string>();
  return calls.map(({ call: { id } }, index) => {
    if (id !== undefined && !seen.has(id)) {
      seen.add(id);
      return id;
    }
    return takeFreeId(`call_${itemsBefore}_${index}`, taken);
  });
}

function toToolCall({ call }: PlannedReplyCall, id: string): ToolCall {
  const { name, arguments: args, rawArguments } = call;
  return { id, type: "function", function: { name, arguments: rawArguments ?? JSON.stringify(args ?? {}) } };
}

function toMessage({ id }: ToolCall, result: CallResult, raw?: unknown): ToolMessage {
  return { role: "tool", tool_call_id: id, content: textOf(result), raw };
}
