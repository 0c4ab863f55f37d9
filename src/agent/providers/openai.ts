import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import type { Provider } from "./provider.ts";
import { tokens } from "./tokens.ts";

/** OpenAI Chat Completions. Source: platform.openai.com/docs/api-reference/chat/object. */
export const openaiProvider: Provider = {
  userItem: (text) => ({ role: "user", content: text }),
  keep: withContent,
  callIds: { key: "id", find: (reply) => objectsIn(objectOf(messageOf(reply))["tool_calls"]) },
  textOf(reply) {
    const { content, refusal } = objectOf(messageOf(reply));
    return contentText(content) || contentText(refusal);
  },
  usageOf(reply) {
    const { prompt_tokens: read, completion_tokens: written } = objectOf(objectOf(reply)["usage"]);
    return { inputTokens: tokens(read), outputTokens: tokens(written) };
  },
};

/** A message without content is refused, and an empty list of calls too; some services write both. */
function withContent(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  const { tool_calls: calls, ...others } = message;
  const hasNoCalls = calls == null || (Array.isArray(calls) && calls.length === 0);
  if (!hasNoCalls) return { ...message, tool_calls: objectsIn(calls).map(withWrittenArguments) };
  const isEmpty = ["content", "refusal", "function_call", "audio"].every((key) => others[key] == null);
  if (isEmpty) return undefined;
  return calls === undefined ? message : others;
}

/** Loose servers leave `type` out, or give the arguments as an object, and none takes that back. */
function withWrittenArguments(call: JsonObject): JsonObject {
  const { function: called, type = "function" } = call;
  if (!isJsonObject(called) || type !== "function") return call;
  const { arguments: written = "" } = called;
  if (call["type"] === type && written === called["arguments"] && typeof written === "string") return call;
  const text = typeof written === "string" ? written : JSON.stringify(written);
  return { ...call, type, function: { ...called, arguments: text } };
}

/** What of a message's content is text: all of it, or those of its parts that say so. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map((part) => (part["type"] === "text" && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/** A service may answer with the message alone. */
function messageOf(reply: unknown): unknown {
  const { choices } = objectOf(reply);
  return Array.isArray(choices) ? objectOf(choices[0])["message"] : reply;
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
