import { isJsonObject, parseJson } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { type Accumulator, StreamError } from "./accumulator.ts";
import { mergeKnown } from "./merge-known.ts";
import { saidError } from "./said-error.ts";

/** A block as it has come so far. Its input is JSON text until the reply ends: undefined where none was streamed. */
interface Block {
  value: JsonObject;
  inputText?: string;
}

/** Source: docs.anthropic.com/en/docs/build-with-claude/streaming, and RawMessageStreamEvent of @anthropic-ai/sdk 1. */
export function createAnthropicAccumulator(): Accumulator {
  const blocks = new Map<number, Block>();
  let message: JsonObject | undefined;
  let hasEnded = false;
  return { add, end };

  function add(event: unknown): string {
    if (!isJsonObject(event)) return "";
    switch (event["type"]) {
      case "message_start":
        return start(objectIn(event, "message"));
      case "content_block_start":
        return open(event["index"], objectIn(event, "content_block"));
      case "content_block_delta":
        return extend(event["index"], objectIn(event, "delta"));
      case "message_delta":
        update(event);
        return "";
      case "message_stop":
        hasEnded = true;
        return "";
      case "error":
        throw saidError(event["error"]);
      default:
        return ""; // A ping, or what is not known yet.
    }
  }

  /** Some services send it twice. What a server's tools called in the meantime stands in it whole. */
  function start({ content, ...head }: JsonObject): string {
    if (message !== undefined) {
      message = mergeKnown(message, head);
      return "";
    }
    message = head;
    const given: unknown[] = Array.isArray(content) ? content : [];
    return given.map((block, index) => (isJsonObject(block) ? open(index, block) : "")).join("");
  }

  function open(index: unknown, value: JsonObject): string {
    blocks.set(Number(index), { value });
    return value["type"] === "text" ? textIn(value, "text") : "";
  }

  function extend(index: unknown, delta: JsonObject): string {
    const block = blocks.get(Number(index));
    if (block === undefined) throw new StreamError("The reply goes on with a block that never began.");
    const { type, ...fields } = delta;
    switch (type) {
      case "text_delta":
        append(block, delta, "text");
        return textIn(delta, "text");
      case "thinking_delta":
        append(block, delta, "thinking");
        return "";
      case "input_json_delta":
        block.inputText = (block.inputText ?? "") + textIn(delta, "partial_json");
        return "";
      case "citations_delta": {
        const { citations } = block.value;
        const earlier: unknown[] = Array.isArray(citations) ? citations : [];
        block.value = { ...block.value, citations: [...earlier, delta["citation"]] };
        return "";
      }
      default:
        // A signature, a compaction, or what is not known yet: it brings whole fields of the block.
        block.value = { ...block.value, ...fields };
        return "";
    }
  }

  function update(event: JsonObject): void {
    const { delta, usage, ...rest }: JsonObject = { ...event, type: "message" };
    const changed = mergeKnown(mergeKnown(message ?? {}, rest), isJsonObject(delta) ? delta : {});
    if (isJsonObject(usage)) changed["usage"] = mergeKnown(objectIn(changed, "usage"), usage);
    message = changed;
  }

  function end(): JsonObject {
    if (message === undefined || !hasEnded) throw new StreamError("The stream ended before the reply did.");
    const inOrder = [...blocks].sort(([a], [b]) => a - b);
    return { ...message, content: inOrder.map(([, block]) => finish(block)) };
  }
}

/** What was not streamed stays as it stood at the block's start. */
function finish({ value, inputText = "" }: Block): JsonObject {
  return inputText.trim() === "" ? value : { ...value, input: readInput(inputText) };
}

/** What cannot be read, or not without loss, stays text: whoever reads the calls refuses it and says why. */
function readInput(text: string): unknown {
  try {
    const { value, refusals } = parseJson(text);
    return refusals.length === 0 ? value : text;
  } catch {
    return text;
  }
}

function append(block: Block, delta: JsonObject, key: string): void {
  block.value = { ...block.value, [key]: textIn(block.value, key) + textIn(delta, key) };
}

function textIn(value: JsonObject, key: string): string {
  const text = value[key];
  return typeof text === "string" ? text : "";
}

function objectIn(value: JsonObject, key: string): JsonObject {
  const member = value[key];
  return isJsonObject(member) ? member : {};
}
