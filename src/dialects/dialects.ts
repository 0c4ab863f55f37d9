import { anthropic } from "./anthropic/dialect.ts";
import type { Dialect, DialectName } from "./dialect.ts";
import { gemini } from "./gemini/dialect.ts";
import { mcp } from "./mcp/dialect.ts";
import { ollama } from "./ollama/dialect.ts";
import { openai } from "./openai/dialect.ts";
import { openaiResponses } from "./openai-responses/dialect.ts";
import type { ToolChoice, ToolChoiceFields } from "./tool-choice.ts";

/** Every dialect, by name. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  openai,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  ollama,
  mcp,
};

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
