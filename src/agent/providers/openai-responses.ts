import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { responseText } from "../streams/openai-responses.ts";
import { noUsage, type Provider, type Said } from "./provider.ts";
import { tokens } from "./tokens.ts";

/** OpenAI Responses. Source: platform.openai.com/docs/api-reference/responses/object. */
export const openaiResponsesProvider: Provider = {
  userItem: (text) => ({ role: "user", content: text }),
  // Reasoning without what came of it is refused: the turn was cut off.
  keep: (item, place, items) => (items.slice(place).every(isReasoning) ? undefined : withWrittenArguments(item)),
  callIds: { key: "call_id", find: (reply) => objectsOf(outputOf(reply)).filter(isCall) },
  read(reply) {
    const response: JsonObject = isJsonObject(reply) ? reply : {};
    const { usage } = response;
    return {
      text: objectsOf(outputOf(reply))
        .filter((item) => item["type"] === "message")
        .flatMap((message) => objectsOf(message["content"]))
        .map((part) => (part["type"] === "output_text" && typeof part["text"] === "string" ? part["text"] : ""))
        .join(""),
      finish: readFinish(response),
      usage: isJsonObject(usage)
        ? { inputTokens: tokens(usage["input_tokens"]), outputTokens: tokens(usage["output_tokens"]) }
        : noUsage,
    };
  },
};

function readFinish({ status, incomplete_details: details, error }: JsonObject): Said["finish"] {
  if (status === "incomplete") {
    return isJsonObject(details) && details["reason"] === "max_output_tokens" ? "length" : "error";
  }
  return status === "failed" || status === "cancelled" || error != null ? "error" : "stop";
}

/** A response's items, a list of them, or one alone. */
function outputOf(reply: unknown): unknown {
  if (!isJsonObject(reply)) return reply;
  return reply["output"] ?? [reply];
}

function isCall({ type }: JsonObject): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

/** Gateways may give the arguments as an object, or none. */
function withWrittenArguments(item: unknown): unknown {
  if (!isJsonObject(item) || item["type"] !== "function_call" || typeof item["arguments"] === "string") return item;
  return { ...item, arguments: JSON.stringify(item["arguments"] ?? {}) };
}

function isReasoning(item: unknown): boolean {
  return isJsonObject(item) && item["type"] === "reasoning";
}
