import type { Finish } from "../dialects/reply.ts";
import type { ModelPart, ModelRequest } from "./models/model.ts";
import { addUsage, noUsage, type Usage } from "../dialects/conversation/conversation.ts";
import { createRequest } from "./request.ts";
import { unlessAborted } from "./signals.ts";
import { type AgentState, answerCalls, keepTurn } from "./state.ts";
import { readTurn, type Turn } from "./turn.ts";
import type { ChatToolCall, AgentToolChoice } from "./types.ts";

/** Maximum number of consecutive pauses by the provider in one turn. */
const maxPauses = 5;
/** Maximum number of consecutive retries of a reply that the model failed to write. */
const maxRetries = 2;
/** The same if it may not call tools: a model that calls anyway does so again. */
const maxRetriesWithoutTools = 1;

export interface RoundSettings {
  readonly maxRounds: number;
  readonly toolChoice: AgentToolChoice;
  readonly signal: AbortSignal | undefined;
  /** The caller runs the calls: it ends with the first turn, and tools are allowed in every turn. */
  readonly byHand: boolean;
}

/** Sends a request to the model: yields the text while it arrives, and the whole reply last. */
export type AskModel = (request: ModelRequest) => AsyncIterable<ModelPart>;

export interface ChatResult {
  /** The answer: the text of the last turn. Empty if it had none. */
  readonly text: string;
  /** Every call that was made for it, in order of arrival, with its outcome. */
  readonly toolCalls: readonly ChatToolCall[];
  /**
   * `tool_calls`: the last turn contains calls that were not run. `length`: it was cut off. `error`: the provider
   * stopped it.
   */
  readonly finishReason: Finish | "tool_calls";
  /** Number of model turns, not counting pauses and failed attempts. */
  readonly rounds: number;
  /** Total of all requests. */
  readonly usage: Usage;
  /**
   * Problems that did not make the chat fail: a tool that was left out, a choice that the provider does not support.
   */
  readonly warnings: readonly string[];
}

/**
 * Requests turns of the model, runs their calls and sends the results, until a turn makes no call. Yields the text
 * while it arrives. A turn is the answer if it contains no call, even if its finish reason reports calls, and the other
 * way round: providers do not agree on the reasons.
 * @param warningsBefore about the results that were added to the conversation at the start of the chat
 */
export async function* runRounds(
  state: AgentState,
  settings: RoundSettings,
  ask: AskModel,
  warningsBefore: readonly string[] = [],
): AsyncGenerator<string, ChatResult> {
  const { maxRounds, signal, byHand } = settings;
  const toolCalls: ChatToolCall[] = [];
  const warnings = new Set(warningsBefore);
  let usage = noUsage;
  let text = "";
  let round = 1;
  let pauses = 0;
  let retries = 0;
  let takeBackPaused: (() => void) | undefined;
  const end = (finishReason: ChatResult["finishReason"]): ChatResult => {
    return { text, toolCalls, finishReason, rounds: round, usage, warnings: [...warnings] };
  };

  try {
    for (;;) {
      signal?.throwIfAborted();
      const isLast = byHand || round === maxRounds;
      const takeBack = state.conversation.mark();
      const choice = isLast && !byHand ? "none" : choiceOf(round, settings);
      const turn = yield* takeTurn(choice);
      const { calls, finish, resume } = turn.reply;
      usage = addUsage(usage, turn.usage);
      // If every attempt failed, a partial text is better than none.
      const isRetry = retries > 0 && turn.text.trim() === "";
      text = pauses > 0 ? text + turn.text : isRetry ? text : turn.text;
      if (resume) {
        const isFailed = turn.items.length === 0;
        const most = choice === "none" ? maxRetriesWithoutTools : maxRetries;
        if (isFailed ? ++retries > most : ++pauses > maxPauses) return end("error");
        takeBackPaused ??= isFailed ? undefined : takeBack;
        continue;
      }
      if (finish === "error") return end("error");
      if (turn.items.length > 0) takeBackPaused = undefined;
      if (calls.length === 0) return end(finish);
      const openCalls = state.openCalls!;
      if (!isLast) await openCalls.runAll(signal);
      toolCalls.push(...openCalls.ended());
      if (isLast) return end("tool_calls");
      const hidden = await answerCalls(state);
      hidden.forEach((message) => warnings.add(message));
      round++;
      pauses = 0;
      retries = 0;
    }
  } finally {
    // A provider does not accept a turn back that was never finished.
    takeBackPaused?.();
  }

  async function* takeTurn(choice: AgentToolChoice): AsyncGenerator<string, Turn> {
    const { request, warnings: lost } = createRequest(state, choice, signal);
    if (choice === "none" && choiceOf(round, settings) !== "auto" && settings.toolChoice !== "none") {
      warnings.add("toolChoice was ignored: the model must not call tools in the last round. See maxRounds.");
    }
    const raw = yield* readParts(ask(request), signal);
    const turn = readTurn(state.dialect, raw, state.conversation.items());
    lost.forEach((message) => warnings.add(message));
    turn.warnings.forEach((message) => warnings.add(message));
    keepTurn(state, turn);
    return turn;
  }
}

/**
 * The model's text and its reply. A model that ignores the signal is no longer waited for.
 * @throws the signal's reason
 */
async function* readParts(
  parts: AsyncIterable<ModelPart>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, unknown> {
  const reading = parts[Symbol.asyncIterator]();
  let reply: unknown;
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await unlessAborted(reading.next(), signal);
      isOver = done === true;
      if (isOver) return reply;
      const part = value as ModelPart;
      if (part.type === "reply") reply = part.reply;
      else if (part.text !== "") yield part.text;
    }
  } finally {
    if (!isOver) reading.return?.().then(undefined, () => undefined);
  }
}

/** A forced choice applies to the first round only. Otherwise the model would never write an answer. */
function choiceOf(round: number, { toolChoice: choice }: RoundSettings): AgentToolChoice {
  return round === 1 || choice === "none" ? choice : "auto";
}
