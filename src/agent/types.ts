import type { Outcome } from "../core/outcome.ts";
import type { Tool, ToolContext } from "../tool/tool.ts";
import type { JsonObject } from "../json/object.ts";

/** A tool as declared in OpenAI's `tools`. Source: platform.openai.com/docs/api-reference/chat/create. */
export interface OpenAiTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    /** JSON Schema of the arguments. @default an object without properties */
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly strict?: boolean | null;
  };
}

/** An OpenAI tool declaration with the function that runs it. */
export interface ExecutableDefinition {
  readonly definition: OpenAiTool;
  /** Time limit of one call in whole milliseconds, 1 to 900000. @default 10000 */
  readonly timeoutMs?: number;
  /** Returns the result or a promise of it; throws to fail. `undefined` becomes null. */
  execute(args: JsonObject, context: ToolContext): unknown;
}

/** An entry of a list of tools: the result of `defineTool`, or an OpenAI declaration with its function. */
export type AgentTool = Tool | ExecutableDefinition;

/** The model may call tools (`auto`), must call one (`required`), must not (`none`), or must call the named one. */
export type AgentToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** A call of a tool in OpenAI's shape, for every provider. */
export interface ToolCall {
  /** The provider's id, or a generated one if it sent none. */
  readonly id: string;
  readonly type: "function";
  readonly function: {
    readonly name: string;
    /** JSON text. */
    readonly arguments: string;
  };
}

/** A call that a chat made, with its outcome. */
export interface ChatToolCall extends ToolCall {
  /** The result or the error in Toolhost's shape. Absent if the call was not run. */
  readonly outcome?: Outcome;
}

/**
 * One message in OpenAI's shape. `raw` is the provider's own item that it was made from, or the items if there were
 * several.
 */
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
  /** null if it contains only calls. */
  readonly content: string | null;
  /** Absent if there are no calls. */
  readonly tool_calls?: ToolCall[];
  readonly raw: unknown;
}

export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  /** The result: a string unchanged, any other value as JSON text; an error as `{"error": …}`. */
  readonly content: string;
  /** With Anthropic and Gemini, the one item that contains all results of the turn. Undefined until it is sent. */
  readonly raw: unknown;
}

/**
 * Whether a message contains calls, or the result of `chatWithTools` contains calls that were not run.
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
// Not a type guard: the list is always present, and the other branch would narrow to `never`.
export function hasToolCalls(turn: { readonly toolCalls: readonly ToolCall[]; readonly finishReason: string }): boolean;
export function hasToolCalls(value: object): boolean {
  // The result of a chat also lists calls that were all run.
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
