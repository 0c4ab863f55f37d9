import type { JsonObject } from "./object.ts";
import { JsonReader } from "./reader.ts";
import type { JsonRefusal } from "./refusals.ts";
import { type JsonDocument, maxDepth, notJson, tooDeep, tooManyValues } from "./syntax.ts";
import { colon, comma, endOfString, endOfToken, isClosing, isOpening, quote, skipSpace } from "./text.ts";

export type { JsonRefusal } from "./refusals.ts";
export { type JsonDocument, JsonSyntaxError, maxDepth, type Span, TooManyValues } from "./syntax.ts";

/** A document with the text that it was parsed from. */
export interface JsonSource extends JsonDocument {
  readonly text: string;
  /** The text of one of its objects or lists, if its position is known. Searching for one may take long. */
  textOf?(value: object): string | undefined;
}

const none: readonly JsonRefusal[] = [];

/**
 * Parses JSON (RFC 8259) without the three silent losses of JSON.parse: a repeated key that overwrites, an integer that
 * is rounded, and a number that becomes infinite. `__proto__` is refused as a key, in any spelling.
 *
 * JSON.parse does the work. One pass over its result and a count of the members in the text find whether anything was
 * lost; only then is the text searched for the place.
 * @throws JsonSyntaxError if the text is not JSON, or is nested over {@link maxDepth} levels
 */
export function parseJson(text: string): JsonDocument {
  return parse(text, undefined);
}

/** A document with its number of values, including nested ones, not counting keys. */
export interface CountedDocument extends JsonDocument {
  readonly values: number;
}

/**
 * {@link parseJson} for a text whose length does not limit the cost of parsing: its values are counted first.
 * @throws JsonSyntaxError, TooManyValues
 */
export function parseCounted(text: string, maxValues: number): CountedDocument {
  const { values, colons, end } = countSigns(text, maxValues);
  if (values > maxValues) throw tooManyValues(maxValues);
  if (end < text.length) throw notJson();
  return { ...parse(text, colons), values };
}

/** @param colons number of colons outside strings, if known */
function parse(text: string, colons: number | undefined): JsonDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  const members = countMembers(value, 1);
  if (members >= 0 && members === (colons ?? countColons(text))) return { value, refusals: none };
  const reader = new JsonReader();
  reader.write(text);
  return reader.end();
}

/** Number of members of all objects in a value, or a negative number if one must be refused. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : -Infinity;
  if (typeof value !== "object" || value === null) return 0;
  if (depth > maxDepth) throw tooDeep();
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item, depth + 1);
    return members;
  }
  // Own keys only: what a tool has added to Object.prototype is not part of a document.
  for (const key of Object.keys(value)) {
    if (key === "__proto__") members = -Infinity;
    members += 1 + countMembers((value as JsonObject)[key], depth + 1);
  }
  return members;
}

/** Number of colons outside strings: one per member, including repeated keys. */
function countColons(text: string): number {
  let colons = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === colon) colons++;
    else if (code === quote) i = endOfString(text, i);
  }
  return colons;
}

/** Number of values in JSON text, counted up to the limit. */
export function countValues(text: string, maxValues: number): number {
  return countSigns(text, maxValues).values;
}

interface Signs {
  readonly values: number;
  readonly colons: number;
  /** Where counting ended: after it there is more than one JSON value, or one value too many. */
  readonly end: number;
}

/** The values in JSON text, counted up to the limit, and the colons outside its strings. */
function countSigns(text: string, maxValues: number): Signs {
  let values = 1;
  let colons = 0;
  let depth = 0;
  let isEmpty = false;
  let isWhole = false;
  let at = skipSpace(text, 0);
  // A number, a literal or not JSON: JSON.parse finds out faster than a count.
  if (!isOpening(text.charCodeAt(at)) && text.charCodeAt(at) !== quote) return { values, colons, end: text.length };
  for (; at < text.length && values <= maxValues; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32) continue;
    if (isWhole) break;
    // A non-empty list has one value more than commas.
    if (isEmpty && !isClosing(code)) values++;
    isEmpty = isOpening(code);
    if (isEmpty) depth++;
    else if (isClosing(code)) depth--;
    else if (code === comma) values++;
    else if (code === colon) colons++;
    else if (code === quote) at = endOfString(text, at);
    else at = endOfToken(text, at) - 1;
    isWhole = depth <= 0;
  }
  return { values, colons, end: Math.min(at, text.length) };
}
