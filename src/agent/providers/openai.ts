import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { textOf } from "../streams/openai.ts";
import { noUsage, type Provider, type Said } from "./provider.ts";
import { tokens } from "./tokens.ts";

/** OpenAI Chat Completions. Source: platform.openai.com/docs/api-reference/chat/object. */
export const openaiProvider: Provider = {
  userItem: (text) => ({ role: "user", content: text }),
  keep: withContent,
  callIds: { key: "id", find: (reply) => objectsIn(objectOf(messageOf(reply))["tool_calls"]) },
  read(reply) {
    const { choices, usage, error } = isJsonObject(reply) ? reply : {};
    const first: unknown = Array.isArray(choices) ? choices[0] : {};
    const { finish_reason: reason } = objectOf(first);
    const isStopped = first === undefined || error != null;
    return {
      text: textOf(objectOf(messageOf(reply))["content"]),
      finish: isStopped ? "error" : readFinish(reason),
      usage: isJsonObject(usage)
        ? { inputTokens: tokens(usage["prompt_tokens"]), outputTokens: tokens(usage["completion_tokens"]) }
        : noUsage,
    };
  },
};

/** The reply's calls are those of the message; one that older services write by itself stands before the list. */
function withIds(message: unknown, calls: readonly ReplyCall[]): unknown {
  if (!isJsonObject(message) || !Array.isArray(message["tool_calls"])) return message;
  const listed = calls.slice(-message["tool_calls"].length);
  const isNamed = (call: unknown, index: number): boolean => isJsonObject(call) && call["id"] === listed[index]?.id;
  if (message["tool_calls"].every(isNamed)) return message;
  const named = message["tool_calls"].map((call: object, index) => ({ ...call, id: listed[index]?.id }));
  return { ...message, tool_calls: named };
}

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

/** `error` is a word of routers, for a provider behind them that failed in the middle. */
function readFinish(reason: unknown): Said["finish"] {
  if (reason === "length") return "length";
  return reason === "content_filter" || reason === "error" ? "error" : "stop";
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
