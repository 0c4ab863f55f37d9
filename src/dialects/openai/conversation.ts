import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { argumentsText, repairedName } from "../conversation/outgoing-call.ts";
import { callList, listOf, objectOf, objectsIn } from "../conversation/objects.ts";
import type { ProviderConversation } from "../conversation/conversation.ts";
import { tokens } from "../conversation/tokens.ts";

/** OpenAI Chat Completions. Source: platform.openai.com/docs/api-reference/chat/object. */
export const openaiConversation: ProviderConversation = {
  userItem: (text) => ({ role: "user", content: text }),
  readable: withCalls,
  keep: withContent,
  calls: {
    list: (reply) => listOf(objectOf(messageOf(reply))["tool_calls"]),
    read({ id, function: called, custom = called }) {
      const { name, arguments: args, input = args } = objectOf(custom);
      return { id, name, args: input };
    },
  },
  callIds: { key: "id", find: (reply) => objectsIn(objectOf(messageOf(reply))["tool_calls"]) },
  textOf(reply) {
    const { content, refusal } = objectOf(messageOf(reply));
    return contentText(content) + contentText(refusal);
  },
  usageOf(reply) {
    const { prompt_tokens: read, completion_tokens: written } = objectOf(objectOf(reply)["usage"]);
    return { inputTokens: tokens(read), outputTokens: tokens(written) };
  },
};

/**
 * Removes calls that are null, and a legacy call in addition to others, which no order of the results can answer. Moves
 * calls that are not in a list, or not in the message, into `tool_calls`.
 */
function withCalls(reply: unknown): unknown {
  const message = messageOf(reply);
  if (!isJsonObject(message)) return reply;
  const { choices } = objectOf(reply);
  const { tool_calls: beside, ...choice } = Array.isArray(choices) ? objectOf(choices[0]) : {};
  const given = callList(message["tool_calls"], beside);
  if (given === undefined) return reply;
  const { function_call: _, ...others } = message;
  const calls = objectsIn(given);
  const readable = { ...(calls.length > 0 ? others : message), tool_calls: calls };
  if (!Array.isArray(choices)) return readable;
  return { ...objectOf(reply), choices: [{ ...choice, message: readable }, ...choices.slice(1)] };
}

/** The API refuses a message without content, and an empty list of calls; some services write both, or no role. */
function withContent(message: unknown): unknown {
  const { tool_calls: calls, function_call: called, ...others } = objectOf(message);
  const isEmpty = ["content", "refusal", "audio"].every((key) => others[key] == null);
  const made = objectsIn(calls).map(repairedCall);
  if (isEmpty && made.length === 0 && !isJsonObject(called)) return undefined;
  return {
    ...others,
    role: "assistant",
    ...(isJsonObject(called) && { function_call: repairedFunction(called) }),
    ...(made.length > 0 && { tool_calls: made }),
  };
}

/** Lenient servers omit much of a call, or send the arguments as an object, and none accepts that back. */
function repairedCall(call: JsonObject): JsonObject {
  if (call["type"] === "custom" && isJsonObject(call["custom"])) return call;
  return { ...call, type: "function", function: repairedFunction(objectOf(call["function"])) };
}

function repairedFunction(called: JsonObject): JsonObject {
  return { ...called, name: repairedName(called["name"]), arguments: argumentsText(called["arguments"]) };
}

/** The text of a message's content: all of it, or its parts of a text type. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map((part) => (part["type"] === "text" && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/** A service may send only the message. */
function messageOf(reply: unknown): unknown {
  const { choices } = objectOf(reply);
  return Array.isArray(choices) ? objectOf(choices[0])["message"] : reply;
}
