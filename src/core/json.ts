import type { JsonObject } from "./json-schema.ts";

/** Nesting that a document may have, its root counted. */
export const maxDepth = 64;

/** Something in a document that JSON allows and Toolhost refuses. */
export interface Refusal {
  /** JSON Pointer to the object that holds the key, or to the number. */
  readonly path: string;
  readonly reason: string;
}

export interface JsonDocument {
  readonly value: unknown;
  /** Duplicate keys, `__proto__`, and numbers that a JavaScript number cannot hold. Empty for nearly every document. */
  readonly refusals: readonly Refusal[];
}

/** A document with the text that it was parsed from. */
export interface JsonSource extends JsonDocument {
  readonly text: string;
}

/** A text that is no JSON, or is nested too deeply to be looked at. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

const none: readonly Refusal[] = [];

/**
 * Parses JSON (RFC 8259) without the three silent losses of JSON.parse: a repeated key that overwrites, an integer
 * that is rounded, and a number that becomes infinite. `__proto__` is refused as a key, in any spelling.
 *
 * JSON.parse does the work. One look at what came out, and a count of the members in the text, find whether anything
 * was lost; only then is the text scanned for where.
 * @throws JsonSyntaxError where the text is no JSON or nested over {@link maxDepth} levels
 */
export function parseJson(text: string): JsonDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JsonSyntaxError("The text is not valid JSON.");
  }
  const members = countMembers(value, 1);
  if (members >= 0 && members === countColons(text)) return { value, refusals: none };
  return { value, refusals: findRefusals(text) };
}

/** An object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of an object that came as JSON; of what it inherits, or of any other value, nothing. */
export function ownMember(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** One reference token of a JSON Pointer (RFC 6901), with its slash. */
export function pointerToken(key: string | number): string {
  const text = String(key);
  return "/" + (/[~/]/.test(text) ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text);
}

/** The members of all objects in a value, or a negative number where one must be refused. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : -Infinity;
  if (typeof value !== "object" || value === null) return 0;
  if (depth > maxDepth) throw tooDeep();
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item, depth + 1);
    return members;
  }
  // Own keys alone: what a tool has put on Object.prototype is no part of a document.
  for (const key of Object.keys(value)) {
    if (key === "__proto__") members = -Infinity;
    members += 1 + countMembers((value as JsonObject)[key], depth + 1);
  }
  return members;
}

const quote = 34;
const backslash = 92;
const colon = 58;

/** The colons outside strings: one a member, repeated keys included. */
function countColons(text: string): number {
  let colons = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === colon) colons++;
    else if (code === quote) i = endOfString(text, i);
  }
  return colons;
}

/** The index of the quote that ends the string which starts at `start`. The text is valid JSON. */
export function endOfString(text: string, start: number): number {
  let i = start + 1;
  for (; ; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i;
    if (code === backslash) i++;
  }
}

/** A place is what lies two levels deep, as a batch's calls do: what is wrong with one must not hide what is with another. */
const placeDepth = 3;
const maxRefusalsOfPlace = 20;
const maxPlaces = 1000;
const maxKeyLength = 100;

/**
 * Scans a text that is valid JSON for what must be refused. Of each place the first refusals are kept; where too many
 * places have any, the root is refused for that, and the rest are left out.
 */
function findRefusals(text: string): Refusal[] {
  const refusals: Refusal[] = [];
  let places = 0;
  let leftOfPlace = maxRefusalsOfPlace;
  let at = 0;
  scanValue("", 1);
  return refusals;

  function scanValue(path: string, depth: number): void {
    if (depth <= placeDepth) leftOfPlace = maxRefusalsOfPlace;
    skipSpace();
    const start = text[at];
    // A repeated key may hide a value from the look at what came out, however deep it is.
    if (depth > maxDepth && (start === "{" || start === "[")) throw tooDeep();
    if (start === "{") return scanObject(path, depth);
    if (start === "[") return scanArray(path, depth);
    if (start === '"') return void readString();
    const literal = /[^\s,\]}]+/y;
    literal.lastIndex = at;
    const token = literal.exec(text)?.[0] ?? "";
    at += token.length;
    const reason = refusedNumber(token);
    if (reason !== undefined) refuse(path, depth, reason);
  }

  function scanObject(path: string, depth: number): void {
    const keys = new Set<string>();
    at++;
    for (skipSpace(); text[at] !== "}"; skipSpace()) {
      if (text[at] === ",") at++;
      skipSpace();
      const key = readString();
      if (keys.has(key)) refuse(path, depth, "a key is given twice in one object");
      if (key === "__proto__") refuse(path, depth, "the key __proto__ is not allowed");
      keys.add(key);
      skipSpace();
      at++; // the colon
      scanValue(path + pointerToken(shorten(key)), depth + 1);
    }
    at++;
  }

  function scanArray(path: string, depth: number): void {
    let index = 0;
    at++;
    for (skipSpace(); text[at] !== "]"; skipSpace()) {
      if (text[at] === ",") at++;
      scanValue(path + pointerToken(index++), depth + 1);
    }
    at++;
  }

  function readString(): string {
    const end = endOfString(text, at);
    const literal = text.slice(at, end + 1);
    at = end + 1;
    return JSON.parse(literal) as string;
  }

  function refuse(path: string, depth: number, reason: string): void {
    // Above all places stands what may change which of them there are.
    if (depth < placeDepth) leftOfPlace = maxRefusalsOfPlace;
    if (leftOfPlace === maxRefusalsOfPlace && ++places > maxPlaces) {
      if (places === maxPlaces + 1)
        refusals.push({ path: "", reason: `over ${maxPlaces} places hold what is refused` });
      leftOfPlace = 0;
    }
    if (leftOfPlace === 0) return;
    leftOfPlace--;
    refusals.push({ path, reason });
  }

  function skipSpace(): void {
    while (text.charCodeAt(at) <= 32) at++;
  }
}

function shorten(key: string): string {
  return key.length <= maxKeyLength ? key : `${key.slice(0, maxKeyLength)}…`;
}

function refusedNumber(token: string): string | undefined {
  const value = Number(token);
  if (Number.isNaN(value)) return undefined; // true, false, null
  if (!Number.isFinite(value)) return "the number is too large";
  if (!/^-?\d+$/.test(token) || Number.isSafeInteger(value)) return undefined;
  if (BigInt(token) === BigInt(value)) return undefined;
  return "the integer cannot be held exactly; send it as a string if the tool takes one";
}

function tooDeep(): JsonSyntaxError {
  return new JsonSyntaxError(`The JSON is nested over ${maxDepth} levels.`);
}
