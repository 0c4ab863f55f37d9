import { isJsonObject } from "../../json/object.ts";
import type { JsonNode } from "./json-place.ts";

/** Whether it is an assistant message of OpenAI Chat Completions or Ollama. */
export function isChatMessage(message: JsonNode | undefined): message is JsonNode {
  if (message === undefined || !isJsonObject(message.value)) return false;
  const role = message.member("role")?.value;
  if (role != null && role !== "assistant") return false;
  const content = message.member("content");
  // Anthropic's messages have the same role, but also a `type`, and their calls are in the content.
  if (message.member("type") !== undefined || hasToolUse(content?.value)) return false;
  return role === "assistant" || content !== undefined || message.member("tool_calls") !== undefined;
}

function hasToolUse(content: unknown): boolean {
  return Array.isArray(content) && content.some((part) => isJsonObject(part) && part["type"] === "tool_use");
}
