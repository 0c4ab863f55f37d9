import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { isId } from "../reading/found-calls.ts";
import { argumentsObject, mendedName } from "../conversation/outgoing-call.ts";
import { listOf } from "../conversation/objects.ts";
import type { ProviderConversation } from "../conversation/conversation.ts";
import { tokens } from "../conversation/tokens.ts";

/** Gemini generateContent, of the Gemini API and of Vertex AI. Source: ai.google.dev/api/generate-content. */
export const geminiConversation: ProviderConversation = {
  userItem: (text) => ({ role: "user", parts: [{ text }] }),
  keep: mendedContent,
  calls: {
    list: (reply) => listOf(partsOf(reply)),
    read(part) {
      const call = member(part, "functionCall", "function_call");
      return isJsonObject(call) ? { id: call["id"], name: call["name"], args: call["args"] } : undefined;
    },
  },
  textOf: (reply) => geminiText(partsOf(reply)),
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

function partsOf(reply: unknown): unknown {
  const candidates = member(reply, "candidates");
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  return member(member(candidate, "content"), "parts");
}

function mendedContent(content: unknown): unknown {
  const given = isJsonObject(content) && Array.isArray(content["parts"]) ? content["parts"].filter(isJsonObject) : [];
  const parts = given.map(mendedPart).filter((part) => part !== undefined);
  // A content without a role counts as the user's.
  return holdsAnything(parts) ? { ...(content as JsonObject), role: "model", parts } : undefined;
}

/** The SDKs take the one way of writing, and no call without a name; the API no part without what it is a part of. */
function mendedPart(part: JsonObject): JsonObject | undefined {
  const entries = Object.entries(camelCased(part));
  const mended = Object.fromEntries(
    entries.map(([key, value]) => [key, isJsonObject(value) && key !== "partMetadata" ? camelCased(value) : value]),
  );
  const call = mended["functionCall"];
  if (isJsonObject(call)) return { ...mended, functionCall: mendedCall(call) };
  if (Object.keys(mended).some((key) => !aboutParts.has(key))) return mended;
  return mended["thoughtSignature"] === undefined ? undefined : { text: "", ...mended };
}

const aboutParts: ReadonlySet<string> = new Set(["thought", "thoughtSignature", "partMetadata"]);

function mendedCall({ id, args, ...others }: JsonObject): JsonObject {
  return {
    ...(isId(id) && { id }),
    ...others,
    name: mendedName(others["name"]),
    ...(args != null && { args: argumentsObject(args) }),
  };
}

function camelCased(fields: JsonObject): JsonObject {
  const camel = (key: string): string => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [camel(key), value]));
}

/** A content without parts is refused, and so is one of empty texts, but for those that hold a signature. */
function holdsAnything(parts: readonly JsonObject[]): boolean {
  return parts.some((part) => part["text"] !== "" || Object.keys(part).length > 1);
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
