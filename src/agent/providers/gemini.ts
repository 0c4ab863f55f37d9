import { isJsonObject } from "../../core/json.ts";
import type { Provider } from "./provider.ts";
import { tokens } from "./tokens.ts";

/** Gemini generateContent, of the Gemini API and of Vertex AI. Source: ai.google.dev/api/generate-content. */
export const geminiProvider: Provider = {
  userItem: (text) => ({ role: "user", parts: [{ text }] }),
  // A content without a role counts as the user's.
  keep: (content) =>
    isJsonObject(content) && holdsAnything(content["parts"]) ? { ...content, role: "model" } : undefined,
  textOf(reply) {
    const candidates = member(reply, "candidates");
    const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
    return geminiText(member(member(candidate, "content"), "parts"));
  },
  usageOf(reply) {
    const usage = member(reply, "usageMetadata", "usage_metadata");
    const count = (...names: string[]): number => tokens(member(usage, ...names));
    const prompt = count("promptTokenCount", "prompt_token_count");
    const said = count("candidatesTokenCount", "candidates_token_count");
    return {
      inputTokens: prompt + count("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
      outputTokens: said + count("thoughtsTokenCount", "thoughts_token_count"),
    };
  },
};

/** A content without parts is refused, and so is one of empty texts, but for those that hold a signature. */
function holdsAnything(parts: unknown): boolean {
  return (
    Array.isArray(parts) &&
    parts.some((part) => !isJsonObject(part) || part["text"] !== "" || Object.keys(part).length > 1)
  );
}

/** What of a content's parts is for the user: thoughts are not. */
export function geminiText(parts: unknown): string {
  const list: unknown[] = Array.isArray(parts) ? parts : [];
  return list
    .map((part) => (member(part, "thought") === true ? "" : member(part, "text")))
    .filter((text) => typeof text === "string")
    .join("");
}

/** Gemini writes its fields in either way, as protobuf does. @returns undefined where there is none, or null */
function member(value: unknown, ...names: readonly string[]): unknown {
  if (!isJsonObject(value)) return undefined;
  return names.map((name) => value[name]).find((found) => found != null);
}
