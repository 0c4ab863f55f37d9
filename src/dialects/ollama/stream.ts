import { isJsonObject, type JsonObject, safeEntries } from "../../json/object.ts";
import { type Accumulator, StreamError } from "../streaming/accumulator.ts";
import { streamError } from "../streaming/stream-error.ts";

/** Fields that arrive in pieces: texts, and lists. */
const texts: ReadonlySet<string> = new Set(["content", "thinking"]);
const lists: ReadonlySet<string> = new Set(["tool_calls", "images", "logprobs"]);

/**
 * Lines of /api/chat: text and thoughts in pieces, whole calls that may be spread over several lines, and last the
 * counts with `done: true`. Source: ollama/ollama, server/routes.go.
 */
export function createOllamaAccumulator(): Accumulator {
  const reply: JsonObject = {};
  const message: JsonObject = {};
  return {
    add(chunk) {
      if (!isJsonObject(chunk)) return "";
      if (chunk["error"] != null) throw streamError(chunk["error"]);
      const { message: said, ...about } = chunk;
      extend(reply, about);
      if (!isJsonObject(said)) return "";
      extend(message, said);
      return isString(said["content"]) ? said["content"] : "";
    },
    end() {
      if (reply["done"] !== true) throw new StreamError("The stream ended before the reply was complete.");
      return { ...reply, message: { role: "assistant", content: "", ...message } };
    },
  };
}

/**
 * Appends fields that arrive in pieces: a null or a value of another type removes nothing. All other fields are
 * replaced.
 */
function extend(target: JsonObject, more: JsonObject): void {
  for (const [key, value] of safeEntries(more)) {
    const before = Object.hasOwn(target, key) ? target[key] : undefined;
    if (texts.has(key) && isString(before)) {
      if (isString(value)) target[key] = before + value;
    } else if (lists.has(key) && Array.isArray(before)) {
      for (const item of partsOf(value)) before.push(item);
    } else if ((value != null && value !== "") || before === undefined) {
      // A copy, because it may grow.
      target[key] = lists.has(key) ? partsOf(value) : value;
    }
  }
}

/** Some services send a single item without a list around it. */
function partsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? [...(value as unknown[])] : value == null || value === "" ? [] : [value];
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
