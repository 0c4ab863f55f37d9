import { defaultDialect } from "../dialects/dialect.ts";
import { mendText } from "../json/well-formed.ts";
import { dialects } from "../dialects/dialects.ts";
import { createConversation } from "./conversation.ts";
import { runToEnd, shareGenerator } from "./generators.ts";
import { refuseUnknownChatOptions, refuseUnknownOptions } from "./known-options.ts";
import type { ModelPart, ModelRequest } from "./models/model.ts";
import { type AgentOptions, type ChatOptions, checkChoice, checkOptions } from "./options.ts";
import { conversations } from "../dialects/conversation/conversations.ts";
import { type AskModel, type ChatResult, type RoundSettings, runRounds } from "./rounds.ts";
import { joinGiven } from "./signals.ts";
import { type AgentState, answerCalls } from "./state.ts";
import { type AgentTools, createAgentTools } from "./tools.ts";
import type { AgentTool, ChatMessage, ToolCall, ToolMessage } from "./types.ts";

/** The answer while it comes. Whoever stops reading ends the chat. */
export interface ChatStream extends AsyncIterable<string> {
  /** What the chat came to. Comes whether or not the text is read; rejects as `chat` does. */
  readonly result: Promise<ChatResult>;
}

/**
 * A conversation with a model that may call tools. One chat at a time; whatever happens in one, the conversation stays
 * one that the provider takes.
 */
export interface Agent {
  /** In OpenAI's shape, whatever the provider; `raw` is what is sent. */
  readonly messages: readonly ChatMessage[];
  /**
   * Says something and gives the answer: the model's calls are run, and it is told the results, until it calls nothing.
   * @param text without it the conversation goes on as it stands: behind results, or after a chat that failed
   * @throws what the provider's SDK throws; the signal's reason; Error where a chat is going on already
   */
  chat(text?: string, options?: ChatOptions): Promise<ChatResult>;
  /** {@link Agent.chat}, with the text of all its turns while it comes. */
  stream(text?: string, options?: ChatOptions): ChatStream;
  /** One turn of the model, whose calls are left to the caller. */
  chatWithTools(text?: string, options?: ChatOptions): Promise<ChatResult>;
  /**
   * Runs a call of the last turn. It may have been changed before; it may be one of several that run at once. Calls that
   * are not run before the next chat are answered with an error.
   * @param options its signal stops the call, which then has an error for its result
   * @returns its result, an error included, which is in the conversation from now on
   * @throws Error where the last turn holds no such call, or it was run before
   */
  executeToolCall(call: ToolCall, options?: Pick<ChatOptions, "signal">): Promise<ToolMessage>;
  /** Adds a tool. @throws Error where it cannot be registered, or the name is taken */
  registerTool(tool: AgentTool): void;
  /** Forgets the conversation. Tools and system text stay. @throws Error while a chat is going on */
  reset(): void;
}

/**
 * A conversation with a model that calls tools.
 * @throws Error for a tool that cannot be registered and a value that no option has; TypeError for an unknown option
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
  refuseUnknownOptions(options);
  checkOptions(options);
  return createAgentWith(options, createAgentTools(options.tools ?? [], options.observer));
}

/** An agent whose tools are made already. */
export function createAgentWith(options: AgentOptions, tools: AgentTools): Agent {
  const { model, system, maxRounds = 3 } = options;
  const { dialect = defaultDialect } = model;
  const state: AgentState = {
    model,
    dialect: dialects[dialect],
    provider: conversations[dialect],
    tools,
    system: system && mendText(system),
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
      if (running === undefined) throw new Error("The last turn holds no such call that is not run yet.");
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
    // What is forced is for what was said: a chat that only goes on is not made to call again.
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
      signal?.throwIfAborted(); // Each SDK has an error of its own for that.
      throw error;
    } finally {
      isBusy = false;
    }
  }

  /** A text that nothing came of is taken back: it can be said again. */
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
    if (count === 0) throw new Error("There is nothing to answer yet: chat needs a text.");
    let isAnswered = false;
    try {
      const result = yield* runRounds(state, settings, ask, warnings);
      isAnswered = result.finishReason !== "error";
      return result;
    } finally {
      if (!isAnswered && conversation.items().length === count) takeBack();
    }
  }

  /** A text that was cut by its length may end with half a surrogate pair, with which every later request is refused. */
  function addText(text: string): void {
    const content = mendText(text);
    const item = state.provider.userItem(content);
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
  return new Error("A chat of this agent is going on. Wait for it, or make another agent.");
}
