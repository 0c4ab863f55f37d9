import { canonicalJson } from "../../json/canonical.ts";
import type { JsonObject } from "../../json/object.ts";
import { createArgumentsText } from "../streaming/arguments-text.ts";
import { argumentsOf, joinArguments, objectIn } from "../streaming/call-arguments.ts";
import { isPresent } from "../streaming/present.ts";

/** What a call of a response is given, from the events that tell it in pieces and whole. */
export interface CallText {
  add(piece: string): void;
  /** Takes it as it is told whole; "" where it only begins. */
  tell(whole: string): void;
  isBegun(): boolean;
  /** Whether it was told whole, or has come to an end. */
  isWhole(): boolean;
  /** Undefined if nothing was told. */
  text(): string | undefined;
}

const calls: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);

export function isCall({ type }: JsonObject): boolean {
  return calls.has(type);
}

/** Where a call holds what it is given. */
export function callField({ type }: JsonObject): "arguments" | "input" {
  return type === "custom_tool_call" ? "input" : "arguments";
}

export function createCallText(item: JsonObject): CallText {
  const pieces = createArgumentsText();
  const begun = isCall(item) ? argumentsOf(item[callField(item)]) : undefined;
  let whole = begun !== undefined && objectIn(begun) !== undefined ? begun : undefined;
  // The pieces go on from what the item began with, or come to all of it.
  if (begun !== undefined && whole === undefined) pieces.add(begun);
  const isWholeBegun = whole !== undefined;
  let isTold = false;
  return {
    add(piece) {
      if (!isTold) pieces.add(piece);
    },
    tell(told) {
      if (told === "") return;
      isTold = true;
      whole = joinArguments(whole, told);
    },
    isBegun: () => (whole ?? pieces.text() ?? "") !== "",
    isWhole: () => whole !== undefined || pieces.isWhole(),
    text: () => (isWholeBegun && !isTold ? joinArguments(whole, pieces.text()) : joinArguments(pieces.text(), whole)),
  };
}

/** The fields that are there, with those of the keys that say nothing as they were known before. */
export function withKnown(fields: JsonObject, known: JsonObject, keys: readonly string[]): JsonObject {
  const missing = keys.filter((key) => !isPresent(fields[key]) && isPresent(known[key]));
  return missing.length === 0 ? fields : { ...fields, ...Object.fromEntries(missing.map((key) => [key, known[key]])) };
}

/** Whether two items can be one call: neither tells what the other does not. */
export function isSameCall(one: JsonObject, other: JsonObject): boolean {
  if (one["type"] !== other["type"]) return false;
  if (isPresent(one["name"]) && isPresent(other["name"]) && one["name"] !== other["name"]) return false;
  const field = callField(one);
  const [first, second] = [argumentsOf(one[field]), argumentsOf(other[field])].map((text) => objectIn(text ?? ""));
  return first === undefined || second === undefined || canonicalJson(first) === canonicalJson(second);
}

/** The same for two tellings of one call, whatever its ids are. */
export function callWords(item: JsonObject): string {
  const text = argumentsOf(item[callField(item)]) ?? "";
  const object = objectIn(text);
  return JSON.stringify([item["type"], item["name"], object === undefined ? text : canonicalJson(object)]);
}
