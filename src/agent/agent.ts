import { repairText } from "../json/well-formed.ts";
import { defaultDialect, dialects } from "../dialects/dialects.ts";
import { createConversation } from "./conversation.ts";
import { runToEnd, shareGenerator } from "./generators.ts";
import { refuseUnknownChatOptions, refuseUnknownAgentOptions } from "./known-options.ts";
import type { ModelPart, ModelRequest } from "./models/model.ts";
import { type AgentOptions, type ChatOptions, checkChoice, checkOptions } from "./options.ts";
import { type AskModel, type ChatResult, type RoundSettings, runRounds } from "./rounds.ts";
import { joinGiven } from "./signals.ts";
import { type AgentState, answerCalls } from "./state.ts";
import { type AgentTools, createAgentTools } from "./tools.ts";
import type { AgentTool, ChatMessage, ToolCall, ToolMessage } from "./types.ts";

/** The answer while it arrives. A reader that stops early ends the chat. */
export interface ChatStream extends AsyncIterable<string> {
  /** The chat's result. It settles whether or not the text is read, and rejects as `chat` does. */
  readonly result: Promise<ChatResult>;
}

/**
 * A conversation with a model that may call tools. One chat runs at a time. After a chat that failed, the conversation
 * is still one that the provider accepts.
 */
export interface Agent {
  /** In OpenAI's shape for every provider; `raw` is what is sent. */
  readonly messages: readonly ChatMessage[];
  /**
   * Sends the text and returns the answer: runs the model's calls and sends it the results until it makes no further
   * call.
   * @param text without it, the conversation continues from its current state: after tool results, or after a chat that
   * failed
   * @throws what the provider's SDK throws; the signal's reason; Error if a chat is already running
   */
  chat(text?: string, options?: ChatOptions): Promise<ChatResult>;
  /** {@link Agent.chat} that yields the text of all its turns while it arrives. */
  stream(text?: string, options?: ChatOptions): ChatStream;
  /** One turn of the model. The caller runs its calls. */
  chatWithTools(text?: string, options?: ChatOptions): Promise<ChatResult>;
  /**
   * Runs a call of the last turn. The caller may have changed it, and may run several at once. Calls that are not run
   * before the next chat are answered with an error.
   * @param options its signal stops the call, whose result is then an error
   * @returns the result, which may be an error and is part of the conversation from now on
   * @throws Error if the last turn does not contain the call, or it has already run
   */
  executeToolCall(call: ToolCall, options?: Pick<ChatOptions, "signal">): Promise<ToolMessage>;
  /** Adds a tool. @throws Error if it cannot be registered, or the name is taken */
  registerTool(tool: AgentTool): void;
  /** Clears the conversation. Tools and system text remain. @throws Error while a chat is running */
  reset(): void;
}

/**
 * A conversation with a model that calls tools.
 * @throws Error for a tool that cannot be registered and for an invalid value of an option; TypeError for an unknown
 * option
 * @example
 * ```ts
 * import OpenAI from "openai";
 * import { createAgent, openai } from "toolhost/agent";
 *
 * const agent = createAgent({
 *   model: openai(new OpenAI(), "gpt-5.1"),
 *   tools: { url: "http://127.0.0.1:8080", key: "a-long-random-key" },
 *   system: "You answer in one sentence.",
 *   maxRounds: 5,
 * });
 * for await (const piece of agent.stream("What time is it in Tokyo?")) process.stdout.write(String(piece));
 * ```
 */
export function createAgent(options: AgentOptions): Agent {
  refuseUnknownAgentOptions(options);
  checkOptions(options);
  return createAgentWith(options, createAgentTools(options.tools ?? [], options.observer));
}

/** An agent with tools that were created before. */
export function createAgentWith(options: AgentOptions, tools: AgentTools): Agent {
  const { model, system, maxRounds = 3 } = options;
  const { dialect = defaultDialect } = model;
  const state: AgentState = {
    model,
    dialect: dialects[dialect],
    tools,
    system: system && repairText(system),
    conversation: createConversation(),
    openCalls: undefined,
    followUp: {},
  };
  let isBusy = false;

  return {
    get messages() {
      return [...systemMessages(system), ...state.conversation.messages(), ...(state.openCalls?.messages() ?? [])];
    },
    chat: async (text, chatOptions) => runToEnd(converse(text, settingsOf(text, chatOptions), askAtOnce)),
    chatWithTools: async (text, chatOptions) =>
      runToEnd(converse(text, { ...settingsOf(text, chatOptions), byHand: true }, askAtOnce)),
    stream(text, chatOptions) {
      const left = new AbortController();
      const settings = settingsOf(text, chatOptions, left.signal);
      const chat = converse(text, settings, (request) => model.stream(request));
      return shareGenerator(chat, () => left.abort());
    },
    async executeToolCall(call, { signal } = {}) {
      const running = state.openCalls?.run(call, joinGiven([options.signal, signal]));
      if (running === undefined)
        throw new Error("The last turn does not contain this call, or the call was run already.");
      return running;
    },
    registerTool: (tool) => state.tools.add(tool),
    reset() {
      if (isBusy) throw goingOn();
      state.openCalls = undefined;
      state.followUp = {};
      state.conversation.clear();
    },
  };

  function settingsOf(text: string | undefined, chatOptions: ChatOptions = {}, left?: AbortSignal): RoundSettings {
    refuseUnknownChatOptions(chatOptions);
    const { toolChoice, signal } = chatOptions;
    const { toolChoice: usual = "auto" } = options;
    // A forced choice applies to a new user text. A chat that only continues is not forced to call again.
    const own = text === undefined && usual !== "none" ? "auto" : usual;
    const joined = joinGiven([options.signal, signal, left]);
    return { maxRounds, toolChoice: toolChoice ?? own, byHand: false, signal: joined };
  }

  async function* converse(
    text: string | undefined,
    settings: RoundSettings,
    ask: AskModel,
  ): AsyncGenerator<string, ChatResult> {
    if (isBusy) throw goingOn();
    isBusy = true;
    const { signal } = settings;
    try {
      signal?.throwIfAborted();
      await state.tools.refresh(signal);
      checkChoice(settings.toolChoice, state.tools);
      const warnings = await answerCalls(state, signal);
      return yield* answer(text, settings, ask, warnings);
    } catch (error) {
      signal?.throwIfAborted(); // Each SDK throws its own error for an abort; this throws the signal's reason.
      throw error;
    } finally {
      isBusy = false;
    }
  }

  /** A user text that got no answer is removed, so that it can be sent again. */
  async function* answer(
    text: string | undefined,
    settings: RoundSettings,
    ask: AskModel,
    warnings: readonly string[],
  ): AsyncGenerator<string, ChatResult> {
    const { conversation } = state;
    const takeBack = conversation.mark();
    if (text !== undefined) addText(text);
    const count = conversation.items().length;
    if (count === 0) throw new Error("The conversation is empty: pass a text to chat.");
    let isAnswered = false;
    try {
      const result = yield* runRounds(state, settings, ask, warnings);
      isAnswered = result.finishReason !== "error";
      return result;
    } finally {
      if (!isAnswered && conversation.items().length === count) takeBack();
    }
  }

  /**
   * A text that was cut off by its length limit may end with half a surrogate pair, and the provider would refuse every
   * later request that contains it.
   */
  function addText(text: string): void {
    const content = repairText(text);
    const item = state.dialect.conversation.userItem(content);
    state.conversation.add([item], [{ role: "user", content, raw: item }]);
  }

  async function* askAtOnce(request: ModelRequest): AsyncGenerator<ModelPart> {
    yield { type: "reply", reply: await model.generate(request) };
  }
}

function systemMessages(system: string | undefined): ChatMessage[] {
  return system === undefined ? [] : [{ role: "system", content: system, raw: system }];
}

function goingOn(): Error {
  return new Error("A chat of this agent is already in progress. Wait until it ends, or create another agent.");
}
