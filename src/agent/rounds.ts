import { declareTools } from "../dialects/declarations.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { toolChoice } from "../dialects/dialects.ts";
import type { Conversation } from "./conversation.ts";
import type { Model, ModelPart, ModelRequest } from "./models/model.ts";
import { openCalls, type OpenCalls } from "./open-calls.ts";
import { addUsage, noUsage, type Provider, type Said, type Usage } from "./providers/provider.ts";
import type { AgentTools } from "./tools.ts";
import { readTurn, type Turn } from "./turn.ts";
import type { AssistantMessage, ToolCall, ToolChoice } from "./types.ts";

/** Turns in a row that the provider may pause before it ends one. */
const maxPauses = 5;
/** Times in a row that a model may fail to write what it meant. */
const maxRetries = 2;

/** What an agent keeps from one chat to the next. */
export interface Talk {
  readonly model: Model;
  readonly dialect: Dialect;
  readonly provider: Provider;
  readonly tools: AgentTools;
  readonly system: string | undefined;
  readonly conversation: Conversation;
  /** The calls of the last turn, where they are not answered yet. */
  open: OpenCalls | undefined;
}

export interface RoundSettings {
  readonly maxRounds: number;
  readonly toolChoice: ToolChoice;
  readonly signal: AbortSignal | undefined;
  /** Somebody else runs the calls: it ends with the first turn, and no turn is kept from calling. */
  readonly byHand: boolean;
}

/** Asks the model once. What it gives before the reply is told while it comes. */
export type Ask = (request: ModelRequest) => AsyncIterable<ModelPart>;

export interface ChatResult {
  /** The answer: what the last turn said. Empty where it said nothing. */
  readonly text: string;
  /** Every call that was made for it, in the order they came. */
  readonly toolCalls: readonly ToolCall[];
  /** `tool_calls`: the last turn holds calls that nobody ran. `length`: it was cut off. `error`: the provider stopped it. */
  readonly finishReason: Said["finish"] | "tool_calls";
  /** How many turns of the model it took, pauses and failed attempts aside. */
  readonly rounds: number;
  /** Of all requests together. */
  readonly usage: Usage;
  /** What the reader may want to know and failed nothing: a tool that was left out, a choice that was not to be had. */
  readonly warnings: readonly string[];
}

/**
 * Lets the model speak, runs what it calls, tells it the results, until it calls nothing. Gives its text while it comes.
 * What a turn says to have ended for decides nothing: providers disagree, and calls are there or not.
 */
export async function* runRounds(talk: Talk, settings: RoundSettings, ask: Ask): AsyncGenerator<string, ChatResult> {
  const { maxRounds, signal, byHand } = settings;
  const toolCalls: ToolCall[] = [];
  const warnings = new Set<string>();
  let usage = noUsage;
  let said = "";
  let round = 1;
  let pauses = 0;
  let retries = 0;
  const end = (finishReason: ChatResult["finishReason"]): ChatResult => {
    return { text: said, toolCalls, finishReason, rounds: round, usage, warnings: [...warnings] };
  };

  for (;;) {
    signal?.throwIfAborted();
    const isLast = byHand || round === maxRounds;
    const turn = yield* takeTurn(isLast && !byHand ? "none" : choiceOf(round, settings));
    usage = addUsage(usage, turn.usage);
    said = pauses > 0 ? said + turn.text : turn.text;
    if (turn.reply.resume) {
      const isFailed = turn.items.length === 0;
      if (isFailed ? ++retries > maxRetries : ++pauses > maxPauses) return end("error");
      continue;
    }
    if (turn.reply.calls.length === 0) return end(turn.finish);
    toolCalls.push(...talk.open!.toolCalls);
    if (isLast) return end("tool_calls");
    await talk.open!.runAll(signal);
    await answerCalls(talk);
    round++;
    pauses = 0;
    retries = 0;
  }

  async function* takeTurn(choice: ToolChoice): AsyncGenerator<string, Turn> {
    const { request, warnings: lost } = prepare(talk, choice, signal);
    const turn = readTurn(talk.dialect, talk.provider, yield* ask(request), talk.conversation.items().length);
    lost.forEach((message) => warnings.add(message));
    turn.reply.warnings.forEach(({ message }) => warnings.add(message));
    keepTurn(talk, turn);
    return turn;
  }
}

/** Puts the results of the last turn's calls into the conversation; those that nobody ran get an error. */
export async function answerCalls(talk: Talk): Promise<void> {
  const { items, messages } = (await talk.open?.close()) ?? { items: [], messages: [] };
  talk.conversation.add(items, messages);
  talk.open = undefined;
}

/** What is forced is forced once, or the model would never come to an answer. */
function choiceOf(round: number, { toolChoice: choice }: RoundSettings): ToolChoice {
  return round === 1 || choice === "none" ? choice : "auto";
}

function prepare(
  { model, dialect, tools, system, conversation }: Talk,
  choice: ToolChoice,
  signal: AbortSignal | undefined,
): { request: ModelRequest; warnings: string[] } {
  const isNamed = typeof choice === "object";
  const fields = toolChoice(dialect.name, {
    mode: isNamed ? "required" : choice,
    thinking: model.thinking === true,
    ...(isNamed && { names: [choice.tool] }),
  });
  const chosen = tools.list().filter(({ tool }) => fields.tools?.includes(tool.name) ?? true);
  const declared = declareTools(
    dialect,
    chosen.map(({ tool }) => tool),
    { strict: false, schema: "json" },
  );
  const omitted = declared.warnings.filter(({ kind }) => kind === "omitted");
  const isEmpty = omitted.length === chosen.length;
  const request = {
    messages: conversation.items(),
    system,
    tools: isEmpty ? [] : declared.tools,
    toolChoice: isEmpty ? {} : fields.request,
    signal,
  };
  const warnings = [
    ...omitted.map(({ tool, message }) => `${tool}: ${message}`),
    ...(chosen.length === 0 ? [] : fields.warnings),
  ];
  return { request, warnings };
}

/** Without items there is nothing that a provider would take back: it failed, or was blocked. */
function keepTurn(talk: Talk, { items, reply, text }: Turn): void {
  if (reply.calls.length > 0) {
    talk.open = openCalls(talk.dialect, talk.tools, reply, talk.conversation.items().length);
  }
  if (items.length === 0) return;
  const { toolCalls = [] } = talk.open ?? {};
  const message: AssistantMessage = {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    raw: items.length === 1 ? items[0] : items,
  };
  talk.conversation.add(items, [message]);
}
