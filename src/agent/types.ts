import type { Outcome } from "../core/outcome.ts";
import type { Tool, ToolContext } from "../core/tool.ts";
import type { JsonObject } from "../json/object.ts";

/** A tool as OpenAI's `tools` declare it. Source: platform.openai.com/docs/api-reference/chat/create. */
export interface OpenAiTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    /** JSON Schema of the arguments. @default an object without members */
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly strict?: boolean | null;
  };
}

/** A tool in OpenAI's words with the function that does its work. */
export interface ExecutableDefinition {
  readonly definition: OpenAiTool;
  /** Time limit of one call in whole milliseconds, 1 to 900000. @default 10000 */
  readonly timeoutMs?: number;
  /** Returns the result or a promise of it; throws to fail. `undefined` is told as null. */
  execute(args: JsonObject, context: ToolContext): unknown;
}

/** What a list of tools may hold: what `defineTool` makes, or an OpenAI declaration with its function. */
export type AgentTool = Tool | ExecutableDefinition;

/** May the model call tools (`auto`), must it (`required`), must it not, or must it call this one. */
export type AgentToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** A call of a tool in OpenAI's shape, whatever the provider. */
export interface ToolCall {
  /** The provider's, or one made here where it gave none. */
  readonly id: string;
  readonly type: "function";
  readonly function: {
    readonly name: string;
    /** JSON text. */
    readonly arguments: string;
  };
}

/** A call that a chat made, with what it came to. */
export interface ChatToolCall extends ToolCall {
  /** The result or the error, as Toolhost has it. Absent if the call was not run. */
  readonly outcome?: Outcome;
}

/** One message in OpenAI's shape. `raw` is what it was made from: the provider's own item, or items where it took several. */
export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
  readonly raw: unknown;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: string;
  readonly raw: unknown;
}

export interface AssistantMessage {
  readonly role: "assistant";
  /** null where it holds calls alone. */
  readonly content: string | null;
  /** Absent where there are none. */
  readonly tool_calls?: ToolCall[];
  readonly raw: unknown;
}

export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  /** The result: a string as it is, any other as JSON text; an error as `{"error": …}`. */
  readonly content: string;
  /** With Anthropic and Gemini, the one item that holds all results of the turn. Undefined until it is sent. */
  readonly raw: unknown;
}

/**
 * Whether a message holds calls, or what `chatWithTools` gave holds some that nobody ran.
 * @example
 * ```ts
 * import { type Agent, hasToolCalls } from "toolhost/agent";
 *
 * async function ask(agent: Agent): Promise<void> {
 *   const turn = await agent.chatWithTools("What time is it in Tokyo?");
 *   if (hasToolCalls(turn)) console.log(turn.toolCalls.map((call) => call.function.name));
 * }
 * ```
 */
export function hasToolCalls(
  message: ChatMessage,
): message is AssistantMessage & { readonly tool_calls: readonly ToolCall[] };
// No guard: its list is always there, and the other branch would be left with `never`.
export function hasToolCalls(turn: { readonly toolCalls: readonly ToolCall[]; readonly finishReason: string }): boolean;
export function hasToolCalls(value: object): boolean {
  // A chat tells of calls that were all run.
  if ("finishReason" in value && value.finishReason !== "tool_calls") return false;
  const { tool_calls: calls, toolCalls = calls } = value as { tool_calls?: unknown; toolCalls?: unknown };
  return Array.isArray(toolCalls) && toolCalls.length > 0;
}

/**
 * Whether a message is the result of a call.
 * @example
 * ```ts
 * import { type ChatMessage, isToolResult } from "toolhost/agent";
 *
 * const resultsOf = (messages: readonly ChatMessage[]): string[] =>
 *   messages.filter(isToolResult).map(({ content }) => content);
 * ```
 */
export function isToolResult(message: ChatMessage): message is ToolMessage {
  return message.role === "tool";
}
