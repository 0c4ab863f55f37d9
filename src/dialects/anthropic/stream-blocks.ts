import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { parseJson } from "../../json/parse.ts";
import { StreamError } from "../streaming/accumulator.ts";
import { type ArgumentsText, createArgumentsText } from "../streaming/arguments-text.ts";
import { joinArguments } from "../streaming/call-arguments.ts";
import { isText } from "../streaming/present.ts";

/** A block with what has arrived so far. */
export interface Block {
  readonly value: JsonObject;
  /** JSON text until the reply ends. */
  readonly input: ArgumentsText;
  isStopped: boolean;
  /** Whether it received a delta. */
  isExtended: boolean;
}

/** Maximum number of blocks at one index that are searched for the target of a delta. */
const maxOpen = 16;

/** Which blocks a delta can belong to. Any other delta belongs to the block that is open. */
const deltaTargets: ReadonlyMap<unknown, (type: unknown) => boolean> = new Map([
  ["text_delta", (type: unknown) => type === "text"],
  ["citations_delta", (type: unknown) => type === "text"],
  ["thinking_delta", (type: unknown) => type === "thinking"],
  ["signature_delta", (type: unknown) => type === "thinking"],
  ["input_json_delta", (type: unknown) => String(type).endsWith("tool_use")],
]);

/** Some services send one stop event for several blocks. */
export function stopBlocks(blocks: readonly Block[]): void {
  for (const block of blocks.slice(-maxOpen)) block.isStopped = true;
}

export function createBlock(value: JsonObject): Block {
  return { value: { ...value }, input: createArgumentsText(), isStopped: false, isExtended: false };
}

/** Some services send the start of a block twice, for a call even after its input or its end. */
export function isRepeatedStart({ value, isStopped, isExtended }: Block, again: JsonObject): boolean {
  if (value["type"] !== again["type"]) return false;
  if (isCall(value)) return isText(value["id"]) && value["id"] === again["id"] && value["name"] === again["name"];
  return !isStopped && !isExtended && JSON.stringify(value) === JSON.stringify(again);
}

/**
 * The block that a delta belongs to. Some services start none for it, or one of another type: then a block is created
 * for text and for thoughts.
 * @throws StreamError if there is none, and if the input of a call arrives at a block that is not a call
 */
export function findTarget(here: Block[], type: unknown): Block {
  const isTarget = deltaTargets.get(type);
  const block = here.slice(-maxOpen).findLast(({ value }) => isTarget?.(value["type"]));
  const last = here.at(-1);
  if (block !== undefined) return block;
  if (last === undefined) throw new StreamError("The reply continues a block that never started.");
  if (isTarget === undefined || !isKnown(last.value)) return last;
  if (type === "input_json_delta") throw new StreamError("The reply continues a call that never started.");
  const begun = createBlock(
    isTarget("text") ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" },
  );
  // A block that was started and is still empty comes after it.
  here.splice(last.isExtended || isCall(last.value) ? here.length : here.length - 1, 0, begun);
  return begun;
}

function isKnown(value: JsonObject): boolean {
  return isCall(value) || value["type"] === "text" || value["type"] === "thinking";
}

function isCall({ type }: JsonObject): boolean {
  return String(type).endsWith("tool_use");
}

/** Some services send the input as an object. */
export function pieceIn({ partial_json: piece }: JsonObject): string {
  return typeof piece === "string" ? piece : piece == null ? "" : JSON.stringify(piece);
}

/** Whether it is a call whose input is still incomplete. */
export function isOpenCall({ value, input, isStopped }: Block): boolean {
  return value["type"] === "tool_use" && !isStopped && !input.isWhole() && !isFilled(value["input"]);
}

/**
 * Fields that were not streamed keep their value from the block's start. An input that came both there and in deltas
 * was sent twice.
 */
export function finishBlock({ value, input }: Block): JsonObject {
  const text = input.text() ?? "";
  if (text.trim() === "" && typeof value["input"] !== "string") return value;
  return { ...value, input: readInput(joinArguments(value["input"], text.trim() === "" ? "" : text) ?? "") };
}

/** Adds the input of a repeated start event. */
export function addInput({ value }: Block, input: unknown): void {
  if (isFilled(input)) value["input"] = joinArguments(value["input"], input);
}

function isFilled(input: unknown): boolean {
  return isJsonObject(input) && Object.keys(input).length > 0;
}

/**
 * An input that cannot be parsed, or not without loss, remains text: the reader of the calls refuses it with a reason.
 */
function readInput(text: string): unknown {
  try {
    const { value, refusals } = parseJson(text);
    return refusals.length === 0 ? value : text;
  } catch {
    return text;
  }
}
