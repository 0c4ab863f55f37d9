import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { readArgumentsText } from "../reading/arguments.ts";
import { repairedName } from "../conversation/outgoing-call.ts";
import { listOf, objectOf } from "../conversation/objects.ts";
import type { ProviderConversation } from "../conversation/conversation.ts";
import { tokens } from "../conversation/tokens.ts";

/** Anthropic Messages. Source: docs.anthropic.com/en/api/messages, and Message of @anthropic-ai/sdk 1. */
export const anthropicConversation: ProviderConversation = {
  userItem: (text) => ({ role: "user", content: text }),
  keep: withContent,
  calls: {
    list: (reply) => listOf(objectOf(reply)["content"]),
    read: ({ type, id, name, input }) => (type === "tool_use" ? { id, name, args: input } : undefined),
  },
  callIds: { key: "id", pattern: /^[\w-]+$/, find: callsOf },
  // Without it, the provider refuses a request with the results of calls that were made in a container.
  followUp(reply) {
    const { id } = objectOf(objectOf(reply)["container"]);
    return typeof id === "string" && id !== "" ? { container: id } : {};
  },
  textOf: (reply) => contentText(isJsonObject(reply) ? reply["content"] : undefined),
  /** `input_tokens` excludes cached tokens, so they are added. */
  usageOf(reply) {
    const usage = isJsonObject(reply) && isJsonObject(reply["usage"]) ? reply["usage"] : {};
    const cached = tokens(usage["cache_read_input_tokens"]) + tokens(usage["cache_creation_input_tokens"]);
    return { inputTokens: tokens(usage["input_tokens"]) + cached, outputTokens: tokens(usage["output_tokens"]) };
  },
};

/**
 * The API refuses messages and text blocks that are empty or blank, and the model writes both. It also refuses a
 * message that ends with a thought, which happens if the model was cut off while it thought. Compatible services may
 * write calls without a name or an input.
 */
function withContent(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  const { content } = message;
  if (!Array.isArray(content)) return typeof content === "string" && content.trim() === "" ? undefined : message;
  const full = content.filter((block) => !isBlank(block));
  const kept = full.slice(0, full.findLastIndex((block) => !isThought(block)) + 1);
  return kept.length === 0 ? undefined : { ...message, content: kept.map(repairedBlock) };
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => (isJsonObject(block) && block["type"] === "text" ? block["text"] : ""))
    .filter((text) => typeof text === "string")
    .join("");
}

const called: ReadonlySet<unknown> = new Set(["tool_use", "server_tool_use"]);

function repairedBlock(block: unknown): unknown {
  if (!isJsonObject(block) || !called.has(block["type"])) return block;
  return { ...block, name: repairedName(block["name"]), input: repairedInput(block["input"]) };
}

/**
 * The API accepts only objects as the input of a call: an input that is not JSON is sent back inside an object. Source:
 * docs.anthropic.com/en/docs/agents-and-tools/tool-use/fine-grained-tool-streaming.
 */
function repairedInput(input: unknown): JsonObject {
  if (isJsonObject(input)) return input;
  const written = typeof input === "string" ? input : JSON.stringify(input ?? {});
  const { value } = readArgumentsText(written);
  return isJsonObject(value) ? value : { INVALID_JSON: written };
}

function callsOf(reply: unknown): JsonObject[] {
  const content: unknown = isJsonObject(reply) ? reply["content"] : undefined;
  return Array.isArray(content) ? content.filter(isJsonObject).filter(({ type }) => type === "tool_use") : [];
}

/** Source: the API's "text content blocks must contain non-whitespace text". */
function isBlank(block: unknown): boolean {
  if (!isJsonObject(block) || block["type"] !== "text") return false;
  return typeof block["text"] === "string" && block["text"].trim() === "";
}

function isThought(block: unknown): boolean {
  return isJsonObject(block) && (block["type"] === "thinking" || block["type"] === "redacted_thinking");
}
