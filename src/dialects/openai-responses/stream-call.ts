import { canonicalJson } from "../../json/canonical.ts";
import type { JsonObject } from "../../json/object.ts";
import { createArgumentsText } from "../streaming/arguments-text.ts";
import { argumentsOf, joinArguments, objectIn } from "../streaming/call-arguments.ts";
import { isPresent } from "../streaming/present.ts";

/** The arguments or input of a call, from the events that contain it in pieces or whole. */
export interface CallText {
  add(piece: string): void;
  /** Sets the whole text; "" if the call only begins. */
  setWhole(whole: string): void;
  isBegun(): boolean;
  /** Whether the whole text was set, or the pieces form a complete object. */
  isWhole(): boolean;
  /** Undefined if there was none. */
  text(): string | undefined;
}

const calls: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);

export function isCall({ type }: JsonObject): boolean {
  return calls.has(type);
}

/** The field of a call that contains its arguments or input. */
export function callField({ type }: JsonObject): "arguments" | "input" {
  return type === "custom_tool_call" ? "input" : "arguments";
}

export function createCallText(item: JsonObject): CallText {
  const pieces = createArgumentsText();
  const begun = isCall(item) ? argumentsOf(item[callField(item)]) : undefined;
  let whole = begun !== undefined && objectIn(begun) !== undefined ? begun : undefined;
  // The pieces continue the text that the item began with, or repeat all of it.
  if (begun !== undefined && whole === undefined) pieces.add(begun);
  const isWholeBegun = whole !== undefined;
  let isSet = false;
  return {
    add(piece) {
      if (!isSet) pieces.add(piece);
    },
    setWhole(text) {
      if (text === "") return;
      isSet = true;
      whole = joinArguments(whole, text);
    },
    isBegun: () => (whole ?? pieces.text() ?? "") !== "",
    isWhole: () => whole !== undefined || pieces.isWhole(),
    text: () => (isWholeBegun && !isSet ? joinArguments(whole, pieces.text()) : joinArguments(pieces.text(), whole)),
  };
}

/** The fields, with those of the keys that are empty replaced by their earlier values. */
export function withKnown(fields: JsonObject, known: JsonObject, keys: readonly string[]): JsonObject {
  const missing = keys.filter((key) => !isPresent(fields[key]) && isPresent(known[key]));
  return missing.length === 0 ? fields : { ...fields, ...Object.fromEntries(missing.map((key) => [key, known[key]])) };
}

/** Whether two items can be the same call: neither contradicts the other. */
export function isSameCall(one: JsonObject, other: JsonObject): boolean {
  if (one["type"] !== other["type"]) return false;
  if (isPresent(one["name"]) && isPresent(other["name"]) && one["name"] !== other["name"]) return false;
  const field = callField(one);
  const [first, second] = [argumentsOf(one[field]), argumentsOf(other[field])].map((text) => objectIn(text ?? ""));
  return first === undefined || second === undefined || canonicalJson(first) === canonicalJson(second);
}

/** Equal for two descriptions of the same call, regardless of its ids. */
export function callContent(item: JsonObject): string {
  const text = argumentsOf(item[callField(item)]) ?? "";
  const object = objectIn(text);
  return JSON.stringify([item["type"], item["name"], object === undefined ? text : canonicalJson(object)]);
}
