import { anthropic } from "./anthropic/dialect.ts";
import type { Dialect, ConversationDialect } from "./dialect.ts";
import { gemini } from "./gemini/dialect.ts";
import { mcp } from "./mcp/dialect.ts";
import { ollama } from "./ollama/dialect.ts";
import { openai } from "./openai/dialect.ts";
import { openaiResponses } from "./openai-responses/dialect.ts";
import type { ToolChoice, ToolChoiceFields } from "./tool-choice.ts";

const table = { openai, "openai-responses": openaiResponses, anthropic, gemini, ollama, mcp };

/** Every format except the service's own. */
export type DialectName = keyof typeof table;

/** The dialects that models use. */
export type ModelDialect = {
  [Name in DialectName]: (typeof table)[Name] extends ConversationDialect ? Name : never;
}[DialectName];

/** Every dialect, by name. Lists of formats, in code and in messages, have this order. */
export const dialects: Readonly<Record<DialectName, Dialect>> & Readonly<Record<ModelDialect, ConversationDialect>> =
  table;

export const dialectNames = Object.keys(dialects) as readonly DialectName[];

/** The dialect of a model that does not name one: many other services use it too. */
export const defaultDialect: ModelDialect = "openai";

export function findDialect(name: string): Dialect | undefined {
  return Object.hasOwn(dialects, name) ? dialects[name as DialectName] : undefined;
}

/**
 * The fields of a provider's request that allow, require or forbid tool calls.
 * @param dialect the provider's, such as `openai`
 * @returns the fields to merge into the request, which tools to declare, and warnings about what the provider does not
 * support
 * @example
 * ```ts
 * import { toolChoice } from "toolhost";
 *
 * const { request } = toolChoice("anthropic", { mode: "required", names: ["get_weather"] });
 * // request: { tool_choice: { type: "tool", name: "get_weather" } }
 * ```
 */
export function toolChoice(dialect: DialectName, choice: ToolChoice): ToolChoiceFields {
  const allowsNone = choice.names?.length === 0;
  return dialects[dialect].toolChoice(allowsNone ? { mode: "none" } : choice);
}
