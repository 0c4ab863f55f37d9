import { isJsonObject, parseJson } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { type Accumulator, StreamError } from "./accumulator.ts";
import { type ArgumentsText, createArgumentsText } from "./arguments-text.ts";
import { createOwn } from "./own.ts";
import { joinTold } from "./responses-call.ts";
import { saidError } from "./said-error.ts";
import { writeAll, writeKnown } from "./write.ts";

/** A block as it has come so far. */
interface Block {
  readonly value: JsonObject;
  /** JSON text until the reply ends. */
  readonly input: ArgumentsText;
  isStopped: boolean;
}

/** Among more blocks at one index nobody looks for the one of a delta. */
const maxOpen = 16;

/** Which blocks a delta can belong to. Any other belongs to whatever block is open. */
const deltaTargets: ReadonlyMap<unknown, (type: unknown) => boolean> = new Map([
  ["text_delta", (type: unknown) => type === "text"],
  ["citations_delta", (type: unknown) => type === "text"],
  ["thinking_delta", (type: unknown) => type === "thinking"],
  ["signature_delta", (type: unknown) => type === "thinking"],
  ["input_json_delta", (type: unknown) => String(type).endsWith("tool_use")],
]);

/** Source: docs.anthropic.com/en/docs/build-with-claude/streaming, and RawMessageStreamEvent of @anthropic-ai/sdk 1. */
export function createAnthropicAccumulator(): Accumulator {
  const own = createOwn();
  /** By index. Some services begin several at one. */
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
        stop(blocks.get(Number(event["index"])) ?? []);
        return "";
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
      writeKnown(message, head);
      return "";
    }
    message = head;
    const given: unknown[] = Array.isArray(content) ? content : [];
    return given.map((block, index) => (isJsonObject(block) ? open(index, block) : "")).join("");
  }

  /** @throws StreamError if another call is open at the index: nobody knows to which of them an input belongs */
  function open(index: unknown, value: JsonObject): string {
    const before = blocks.get(Number(index)) ?? [];
    const last = before.at(-1);
    if (last !== undefined && isOpenCall(last)) {
      // Told twice, as some services do.
      if (isText(value["id"]) && value["id"] === last.value["id"]) return "";
      throw new StreamError("The reply begins two blocks at one place before the first has ended.");
    }
    before.push({ value: { ...value }, input: createArgumentsText(), isStopped: false });
    blocks.set(Number(index), before);
    return value["type"] === "text" ? textIn(value, "text") : "";
  }

  function extend(index: unknown, delta: JsonObject): string {
    const here = blocks.get(Number(index)) ?? [];
    const isTarget = deltaTargets.get(delta["type"]);
    const block = here.slice(-maxOpen).findLast(({ value }) => isTarget?.(value["type"])) ?? here.at(-1);
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
        block.input.add(textIn(delta, "partial_json"));
        return "";
      case "citations_delta": {
        const citations = own.list(block.value["citations"]);
        citations.push(delta["citation"]);
        block.value["citations"] = citations;
        return "";
      }
      default:
        // A signature, a compaction, or what is not known yet: it brings whole fields of the block.
        writeAll(block.value, fields);
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
    if (message === undefined || !hasEnded) throw new StreamError("The stream ended before the reply did.");
    const inOrder = [...blocks].sort(([a], [b]) => a - b);
    return { ...message, content: inOrder.flatMap(([, here]) => here.map(finish)) };
  }
}

function stop(blocks: readonly Block[]): void {
  for (const block of blocks.slice(-maxOpen)) block.isStopped = true;
}

/** A call whose input may still come. */
function isOpenCall({ value, input, isStopped }: Block): boolean {
  return value["type"] === "tool_use" && !isStopped && !input.isWhole() && !isFilled(value["input"]);
}

/** What was not streamed stays as it was at the block's start. An input that came there and in pieces is told twice. */
function finish({ value, input }: Block): JsonObject {
  const text = input.text() ?? "";
  if (text.trim() === "") return value;
  return { ...value, input: readInput(isFilled(value["input"]) ? joinTold(value["input"], text)! : text) };
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isFilled(input: unknown): boolean {
  return isJsonObject(input) && Object.keys(input).length > 0;
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
