import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { isId } from "../reading/found-calls.ts";
import { argumentsObject, repairedName } from "../conversation/outgoing-call.ts";
import { callList, listOf, objectOf } from "../conversation/objects.ts";
import type { ProviderConversation } from "../conversation/conversation.ts";
import { tokens } from "../conversation/tokens.ts";

/** Ollama's /api/chat. Source: ollama/ollama, api/types.go: counts of zero are left out. */
export const ollamaConversation: ProviderConversation = {
  userItem: (content) => ({ role: "user", content }),
  readable: withCallList,
  keep: repairedMessage,
  calls: {
    list: (reply) => listOf(objectOf(objectOf(reply)["message"])["tool_calls"]),
    read({ id, function: called }) {
      const { name, arguments: args } = objectOf(called);
      return { id, name, args };
    },
  },
  textOf(reply) {
    const { content } = objectOf(objectOf(reply)["message"]);
    return typeof content === "string" ? content : "";
  },
  usageOf(reply) {
    const { prompt_eval_count: read, eval_count: written } = objectOf(reply);
    return { inputTokens: tokens(read), outputTokens: tokens(written) };
  },
};

/** Moves calls that are not in a list, or not in the message, into `tool_calls` of the message. */
function withCallList(reply: unknown): unknown {
  const { message, tool_calls: beside, ...others } = objectOf(reply);
  if (!isJsonObject(message)) return reply;
  const calls = callList(message["tool_calls"], beside);
  return calls === undefined ? reply : { ...others, message: { ...message, tool_calls: calls } };
}

/** The server cannot decode values whose type differs from api/types.go, and refuses the request. */
function repairedMessage(message: unknown): unknown {
  const { content, tool_calls: calls, ...others } = objectOf(message);
  return {
    ...others,
    role: "assistant",
    ...(typeof content === "string" && { content }),
    ...(Array.isArray(calls) && { tool_calls: calls.map(repairedCall) }),
  };
}

/** An item that is not a call was answered too, at its index. */
function repairedCall(call: unknown): JsonObject {
  const { id, function: called, ...others } = objectOf(call);
  const { name, arguments: written, ...more } = objectOf(called);
  return {
    ...(isId(id) && { id }),
    ...others,
    function: { ...more, name: repairedName(name), arguments: argumentsObject(written) },
  };
}
