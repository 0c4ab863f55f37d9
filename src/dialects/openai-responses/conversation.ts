import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { argumentsText, repairedName } from "../conversation/outgoing-call.ts";
import { listOf, objectsIn } from "../conversation/objects.ts";
import type { ProviderConversation } from "../conversation/conversation.ts";
import { tokens } from "../conversation/tokens.ts";

/** OpenAI Responses. Source: platform.openai.com/docs/api-reference/responses/object. */
export const openaiResponsesConversation: ProviderConversation = {
  userItem: (text) => ({ role: "user", content: text }),
  // The API refuses reasoning without the item that followed it: the turn was cut off.
  keep: (item, place, items) => (items.slice(place).every(isReasoning) ? undefined : repairedItem(item)),
  calls: {
    list: (reply) => listOf(outputOf(reply)),
    read: (item) =>
      isCall(item) ? { id: item["call_id"], name: item["name"], args: item["arguments"] ?? item["input"] } : undefined,
  },
  callIds: { key: "call_id", find: (reply) => objectsIn(outputOf(reply)).filter(isCall) },
  textOf(reply) {
    const messages = objectsIn(outputOf(reply)).filter((item) => item["type"] === "message");
    const texts = messages.map((message) => ({
      isOnTheWay: message["phase"] === "commentary",
      text: messageText(message),
    }));
    const answers = texts.filter(({ isOnTheWay, text }) => !isOnTheWay && text !== "");
    return (answers.length > 0 ? answers : texts).map(({ text }) => text).join("");
  },
  usageOf(reply) {
    const usage = isJsonObject(reply) && isJsonObject(reply["usage"]) ? reply["usage"] : {};
    return { inputTokens: tokens(usage["input_tokens"]), outputTokens: tokens(usage["output_tokens"]) };
  },
};

function messageText(message: JsonObject): string {
  return objectsIn(message["content"])
    .map((part) => textIn(part))
    .join("");
}

/** A refusal replaces the model's text. */
function textIn({ type, text, refusal }: JsonObject): string {
  const said = type === "output_text" ? text : type === "refusal" ? refusal : undefined;
  return typeof said === "string" ? said : "";
}

/** The items of a response, of a list, or a single item. */
function outputOf(reply: unknown): unknown {
  if (!isJsonObject(reply)) return reply;
  return reply["output"] ?? [reply];
}

function isCall({ type }: JsonObject): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

/** Gateways may send the arguments as an object or not at all, and no name. */
function repairedItem(item: unknown): unknown {
  if (!isJsonObject(item) || !isCall(item)) return item;
  const call = { ...item, name: repairedName(item["name"]) };
  return item["type"] === "function_call" ? { ...call, arguments: argumentsText(item["arguments"]) } : call;
}

function isReasoning(item: unknown): boolean {
  return isJsonObject(item) && item["type"] === "reasoning";
}
