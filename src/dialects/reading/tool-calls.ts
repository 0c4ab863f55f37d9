import { isJsonObject, type JsonObject, ownMember } from "../../json/object.ts";
import type { JsonNode } from "./json-place.ts";

export interface ToolCalls {
  readonly calls: Iterable<JsonNode>;
  /** How the calls differ from the provider's format, and so from what the provider accepts back. */
  readonly remarks: readonly string[];
}

const notInList = "`tool_calls` is one object. Change it to a list in the assistant's message.";
const besideMessage = "The calls are next to the assistant's message, not in it. Move `tool_calls` into the message.";

/**
 * The `tool_calls` of a chat message. Some services write one call without a list around it, or the calls next to the
 * message. They are read, because otherwise nothing would report their loss.
 * @param parent the object that contains the message, if it may contain calls too
 */
export function toolCallsOf(message: JsonNode, parent?: JsonNode): ToolCalls {
  const own = message.member("tool_calls");
  const beside = hasCalls(own?.value) ? undefined : parent?.member("tool_calls");
  const isBeside = hasCalls(beside?.value);
  const place = isBeside ? beside : own;
  const isOne = isSingleCall(place?.value);
  return {
    calls: place === undefined ? [] : isOne ? [place] : place.elements(),
    remarks: [...(isOne ? [notInList] : []), ...(isBeside ? [besideMessage] : [])],
  };
}

/** One call without a list around it. Some languages write an empty list as an object without members. */
export function isSingleCall(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

function hasCalls(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isSingleCall(value);
}

/**
 * The first call of an assistant's chat message; undefined if a value is not such a message, or does not call a tool.
 */
export function firstCall(body: unknown): JsonObject | undefined {
  if (ownMember(body, "role") !== "assistant" || Array.isArray(ownMember(body, "content"))) return undefined;
  const calls = ownMember(body, "tool_calls");
  const first: unknown = Array.isArray(calls) ? calls[0] : calls;
  const call = isSingleCall(first) ? ownMember(first, "function") : ownMember(body, "function_call");
  return isJsonObject(call) ? call : undefined;
}
