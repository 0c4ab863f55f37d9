import type { Finish } from "../dialects/reply.ts";
import type { ModelPart, ModelRequest } from "./models/model.ts";
import { addUsage, noUsage, type Usage } from "../dialects/conversation/conversation.ts";
import { createRequest } from "./request.ts";
import { unlessAborted } from "./signals.ts";
import { type AgentState, answerCalls, keepTurn } from "./state.ts";
import { readTurn, type Turn } from "./turn.ts";
import type { ChatToolCall, AgentToolChoice } from "./types.ts";

/** Turns in a row that the provider may pause before it ends one. */
const maxPauses = 5;
/** Times in a row that a model may fail to write what it meant. */
const maxRetries = 2;
/** The same where it may not call: one that calls all the same does so again. */
const maxRetriesWithoutTools = 1;

export interface RoundSettings {
  readonly maxRounds: number;
  readonly toolChoice: AgentToolChoice;
  readonly signal: AbortSignal | undefined;
  /** Somebody else runs the calls: it ends with the first turn, and no turn is kept from calling. */
  readonly byHand: boolean;
}

/** Asks the model once: what it says while it says it, and last its whole reply. */
export type AskModel = (request: ModelRequest) => AsyncIterable<ModelPart>;

export interface ChatResult {
  /** The answer: what the last turn said. Empty where it said nothing. */
  readonly text: string;
  /** Every call that was made for it, in the order they came, with what it came to. */
  readonly toolCalls: readonly ChatToolCall[];
  /** `tool_calls`: the last turn holds calls that nobody ran. `length`: it was cut off. `error`: the provider stopped it. */
  readonly finishReason: Finish | "tool_calls";
  /** How many turns of the model it took, pauses and failed attempts aside. */
  readonly rounds: number;
  /** Of all requests together. */
  readonly usage: Usage;
  /** What the reader may want to know and failed nothing: a tool that was left out, a choice that was not to be had. */
  readonly warnings: readonly string[];
}

/**
 * Lets the model speak, runs what it calls, tells it the results, until it calls nothing. Gives its text while it comes.
 * A turn whose reason to end says that it calls, and that holds no call, is the answer; and the other way round: providers
 * do not agree on the reasons.
 * @param warningsBefore of results that were put into the conversation when the chat began
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
      // Of attempts that failed, what there is of text is better than none.
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
    // A turn that was never finished is none that a provider takes back.
    takeBackPaused?.();
  }

  async function* takeTurn(choice: AgentToolChoice): AsyncGenerator<string, Turn> {
    const { request, warnings: lost } = createRequest(state, choice, signal);
    if (choice === "none" && choiceOf(round, settings) !== "auto" && settings.toolChoice !== "none") {
      warnings.add("toolChoice was left out: the last of maxRounds is kept from calling tools.");
    }
    const raw = yield* readParts(ask(request), signal);
    const turn = readTurn(state.dialect, state.provider, raw, state.conversation.items());
    lost.forEach((message) => warnings.add(message));
    turn.warnings.forEach((message) => warnings.add(message));
    keepTurn(state, turn);
    return turn;
  }
}

/**
 * The model's text, and its reply. A model that does not heed the signal is left to itself.
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

/** What is forced is forced once, or the model would never come to an answer. */
function choiceOf(round: number, { toolChoice: choice }: RoundSettings): AgentToolChoice {
  return round === 1 || choice === "none" ? choice : "auto";
}
