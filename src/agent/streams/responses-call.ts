import { canonicalJson } from "../../core/canonical.ts";
import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { holdsSeveralObjects } from "../../dialects/replies/repeated-object.ts";
import { argumentsText, isJson } from "../providers/mended.ts";
import { createArgumentsText, isEmptyObject } from "./arguments-text.ts";

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
  const begun = isCall(item) ? textOf(item[callField(item)]) : undefined;
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
      whole = joinTold(whole, told);
    },
    isBegun: () => (whole ?? pieces.text() ?? "") !== "",
    isWhole: () => whole !== undefined || pieces.isWhole(),
    text: () => (isWholeBegun && !isTold ? joinTold(whole, pieces.text()) : joinTold(pieces.text(), whole)),
  };
}

/** The fields that are there, with those of the keys that say nothing as they were known before. */
export function withKnown(fields: JsonObject, known: JsonObject, keys: readonly string[]): JsonObject {
  const missing = keys.filter((key) => !isTold(fields[key]) && isTold(known[key]));
  return missing.length === 0 ? fields : { ...fields, ...Object.fromEntries(missing.map((key) => [key, known[key]])) };
}

/**
 * What two tellings of one text come to: the later, if it tells anything. Two whole objects that differ stay both, one behind
 * the other: nobody knows which was meant, and whoever reads the call refuses it.
 */
export function joinTold(before: unknown, told: unknown): string | undefined {
  const [first, second] = [textOf(before), textOf(told)];
  if (second === undefined || second === "") return first ?? second;
  if (first === undefined || first === "" || first === second || isEmptyObject(first)) return second;
  const [one, other] = [objectIn(first), objectIn(second)];
  if (one === undefined && holdsSeveralObjects(first)) return first;
  if (one === undefined || other === undefined) return one === undefined ? second : first;
  return canonicalJson(one) === canonicalJson(other) ? second : first + second;
}

/** Whether two items can be one call: neither tells what the other does not. */
export function isSameCall(one: JsonObject, other: JsonObject): boolean {
  if (one["type"] !== other["type"]) return false;
  if (isTold(one["name"]) && isTold(other["name"]) && one["name"] !== other["name"]) return false;
  const field = callField(one);
  const [first, second] = [textOf(one[field]), textOf(other[field])].map((text) => objectIn(text ?? ""));
  return first === undefined || second === undefined || canonicalJson(first) === canonicalJson(second);
}

function textOf(value: unknown): string | undefined {
  if (value == null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function objectIn(text: string): JsonObject | undefined {
  const read = argumentsText(text);
  const value: unknown = isJson(read) ? JSON.parse(read) : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** null and "" tell nothing. */
function isTold(value: unknown): boolean {
  return value != null && value !== "";
}
