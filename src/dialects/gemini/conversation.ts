import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { isId } from "../reading/found-calls.ts";
import { argumentsObject, repairedName } from "../conversation/outgoing-call.ts";
import { listOf } from "../conversation/objects.ts";
import type { ProviderConversation } from "../conversation/conversation.ts";
import { tokens } from "../conversation/tokens.ts";

/** Gemini generateContent, of the Gemini API and of Vertex AI. Source: ai.google.dev/api/generate-content. */
export const geminiConversation: ProviderConversation = {
  userItem: (text) => ({ role: "user", parts: [{ text }] }),
  keep: repairedContent,
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
    const written = count("candidatesTokenCount", "candidates_token_count");
    return {
      inputTokens: prompt + count("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
      outputTokens: written + count("thoughtsTokenCount", "thoughts_token_count"),
    };
  },
};

function partsOf(reply: unknown): unknown {
  const candidates = member(reply, "candidates");
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  return member(member(candidate, "content"), "parts");
}

function repairedContent(content: unknown): unknown {
  const given = isJsonObject(content) && Array.isArray(content["parts"]) ? content["parts"].filter(isJsonObject) : [];
  const parts = given.map(repairedPart).filter((part) => part !== undefined);
  // The API reads a content without a role as the user's.
  return hasContent(parts) ? { ...(content as JsonObject), role: "model", parts } : undefined;
}

/** The SDKs accept only one spelling, and no call without a name. The API accepts no part without its data field. */
function repairedPart(part: JsonObject): JsonObject | undefined {
  const entries = Object.entries(camelCased(part));
  const repaired = Object.fromEntries(
    entries.map(([key, value]) => [key, isJsonObject(value) && key !== "partMetadata" ? camelCased(value) : value]),
  );
  const call = repaired["functionCall"];
  if (isJsonObject(call)) return { ...repaired, functionCall: repairedCall(call) };
  if (Object.keys(repaired).some((key) => !aboutParts.has(key))) return repaired;
  return repaired["thoughtSignature"] === undefined ? undefined : { text: "", ...repaired };
}

const aboutParts: ReadonlySet<string> = new Set(["thought", "thoughtSignature", "partMetadata"]);

function repairedCall({ id, args, ...others }: JsonObject): JsonObject {
  return {
    ...(isId(id) && { id }),
    ...others,
    name: repairedName(others["name"]),
    ...(args != null && { args: argumentsObject(args) }),
  };
}

function camelCased(fields: JsonObject): JsonObject {
  const camel = (key: string): string => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [camel(key), value]));
}

/** The API refuses a content without parts, and one whose texts are all empty, unless they contain a signature. */
function hasContent(parts: readonly JsonObject[]): boolean {
  return parts.some((part) => part["text"] !== "" || Object.keys(part).length > 1);
}

/** The text of a content's parts that is meant for the user, without thoughts. */
export function geminiText(parts: unknown): string {
  const list: unknown[] = Array.isArray(parts) ? parts : [];
  return list
    .map((part) => (member(part, "thought") === true ? "" : member(part, "text")))
    .filter((text) => typeof text === "string")
    .join("");
}

/** Gemini accepts two spellings of its fields, as protobuf does. @returns undefined if it is absent or null */
function member(value: unknown, ...names: readonly string[]): unknown {
  if (!isJsonObject(value)) return undefined;
  return names.map((name) => value[name]).find((found) => found != null);
}
