import type { DialectName } from "../../dialects/dialect.ts";
import { isSingleCall } from "../../dialects/reading/tool-calls.ts";
import { isJsonObject, ownMember } from "../../json/object.ts";

/** The format whose reply a body looks like, by the members that only that provider has; undefined if there is none. */
export function meantFormat(body: unknown): DialectName | undefined {
  const has = (key: string): boolean => Array.isArray(ownMember(body, key));
  if (has("choices")) return "openai";
  if (has("candidates") || has("parts")) return "gemini";
  if (has("output") || (Array.isArray(body) && body.some((item) => ownMember(item, "call_id") !== undefined))) {
    return "openai-responses";
  }
  if (isJsonObject(ownMember(body, "message"))) return "ollama";
  if (ownMember(body, "role") !== "assistant") return undefined;
  if (has("content")) return "anthropic";
  if (isJsonObject(ownMember(body, "function_call"))) return "openai";
  const calls = ownMember(body, "tool_calls");
  const first: unknown = Array.isArray(calls) ? calls[0] : calls;
  if (!Array.isArray(calls) && !isSingleCall(calls)) return undefined;
  // Ollama gives the arguments as they are, OpenAI as text.
  return isJsonObject(ownMember(ownMember(first, "function"), "arguments")) ? "ollama" : "openai";
}

/** A sentence for who has sent a reply to the wrong place; empty if the body looks like none, or like one of this format. */
export function formatHint(body: unknown, given?: DialectName): string {
  const meant = meantFormat(body);
  if (meant === undefined || meant === given) return "";
  return ` This looks like a reply of ${meant}: send it with ?format=${meant}.`;
}
