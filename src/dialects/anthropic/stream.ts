import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { type Accumulator, StreamError } from "../streaming/accumulator.ts";
import {
  type Block,
  createBlock,
  findTarget,
  finishBlock,
  isOpenCall,
  isRepeatedStart,
  pieceIn,
  stopBlocks,
  addInput,
} from "./stream-blocks.ts";
import { createOwn } from "../streaming/owned.ts";
import { streamError } from "../streaming/stream-error.ts";
import { writeKnown } from "../streaming/assign.ts";

/** Source: docs.anthropic.com/en/docs/build-with-claude/streaming, and RawMessageStreamEvent of @anthropic-ai/sdk 1. */
export function createAnthropicAccumulator(): Accumulator {
  const own = createOwn();
  /** By index. Some services start several blocks at one index. */
  const blocks = new Map<number, Block[]>();
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
      case "content_block_stop":
        stopBlocks(blocks.get(Number(event["index"])) ?? []);
        return "";
      case "message_delta":
        update(event);
        return "";
      case "message_stop":
        hasEnded = true;
        return "";
      case "error":
        throw streamError(event["error"]);
      default:
        return ""; // A ping, or an unknown event.
    }
  }

  /** Some services send it twice. It may contain complete blocks of server tools that ran in the meantime. */
  function start({ content, ...head }: JsonObject): string {
    if (message !== undefined) {
      writeKnown(message, head);
      return "";
    }
    message = head;
    const given: unknown[] = Array.isArray(content) ? content : [];
    return given.map((block, index) => (isJsonObject(block) ? open(index, block) : "")).join("");
  }

  /** @throws StreamError if another call is open at the index: it is ambiguous which of them an input belongs to */
  function open(index: unknown, value: JsonObject): string {
    const before = blocks.get(Number(index)) ?? [];
    const last = before.at(-1);
    if (last !== undefined && isRepeatedStart(last, value)) {
      addInput(last, value["input"]);
      return "";
    }
    if (last !== undefined && isOpenCall(last)) {
      throw new StreamError("The reply starts a second block at the same index before the end of the first block.");
    }
    before.push(createBlock(value));
    blocks.set(Number(index), before);
    return value["type"] === "text" ? textIn(value, "text") : "";
  }

  function extend(index: unknown, delta: JsonObject): string {
    const block = findTarget(blocks.get(Number(index)) ?? [], delta["type"]);
    block.isExtended = true;
    const { type, ...fields } = delta;
    switch (type) {
      case "text_delta":
        append(block, delta, "text");
        return textIn(delta, "text");
      case "thinking_delta":
        append(block, delta, "thinking");
        return "";
      case "input_json_delta":
        block.input.add(pieceIn(delta));
        return "";
      case "citations_delta": {
        const citations = own.list(block.value["citations"]);
        citations.push(delta["citation"]);
        block.value["citations"] = citations;
        return "";
      }
      default:
        // A signature, a compaction, or an unknown delta: it contains whole fields of the block.
        writeKnown(block.value, fields);
        return "";
    }
  }

  function update(event: JsonObject): void {
    const { delta, usage, ...rest }: JsonObject = { ...event, type: "message" };
    message ??= {};
    writeKnown(message, rest);
    if (isJsonObject(delta)) writeKnown(message, delta);
    if (!isJsonObject(usage)) return;
    const counted = own.object(message["usage"]);
    writeKnown(counted, usage);
    message["usage"] = counted;
  }

  function end(): JsonObject {
    if (message === undefined || !hasEnded) throw new StreamError("The stream ended before the reply was complete.");
    const inOrder = [...blocks].sort(([a], [b]) => a - b);
    return { ...message, content: inOrder.flatMap(([, here]) => here.map(finishBlock)) };
  }
}

function append(block: Block, delta: JsonObject, key: string): void {
  block.value[key] = textIn(block.value, key) + textIn(delta, key);
}

function textIn(value: JsonObject, key: string): string {
  const text = value[key];
  return typeof text === "string" ? text : "";
}

function objectIn(value: JsonObject, key: string): JsonObject {
  const member = value[key];
  return isJsonObject(member) ? member : {};
}
