import { CallError } from "./errors.ts";
import { pointerToken } from "./json.ts";

/** Levels that a result may be nested. Over these it is a cycle or nothing that anyone can use. */
const maxResultDepth = 256;

export interface ResultJson {
  /** What the text says: the result itself where it is plain data. */
  readonly value: unknown;
  readonly text: string;
}

/**
 * Turns what a tool returned into JSON, refusing everything that JSON would lose in silence. As in JSON, undefined
 * members are left out and `toJSON` is heeded.
 * @throws CallError `invalid_result` with the place of what is not JSON, or `result_too_large`
 */
export function toResultJson(result: unknown, maxBytes: number): ResultJson {
  let plain: boolean | undefined;
  let text: string;
  try {
    plain = isPlainJson(result, []);
    text = JSON.stringify(result);
  } catch (error) {
    // JSON as long as no string can be.
    if (plain !== undefined && error instanceof RangeError) throw tooLarge(maxBytes);
    throw toResultError(error);
  }
  if (exceeds(text, maxBytes)) throw tooLarge(maxBytes);
  return { value: plain ? result : JSON.parse(text), text };
}

function exceeds(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  // A UTF-16 unit is at most three bytes of UTF-8.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

class NotJson extends Error {
  readonly path: string;

  constructor(trail: readonly PropertyKey[], what: string) {
    super(what);
    this.path = trail.map((key) => pointerToken(String(key))).join("");
  }
}

function toResultError(error: unknown): CallError {
  const { path, what } =
    error instanceof NotJson
      ? { path: error.path, what: error.message }
      : { path: "", what: "holds a getter or a toJSON that throws" };
  return new CallError(
    "invalid_result",
    `The tool returned something that is not JSON: ${path || "the result"} ${what}. This is a fault of the tool; other arguments may avoid it.`,
    { issues: [{ path, message: what, keyword: "json" }] },
    error,
  );
}

function tooLarge(maxBytes: number): CallError {
  return new CallError(
    "result_too_large",
    `The result is larger than the ${maxBytes} bytes that this tool may return. Ask for less.`,
  );
}

/**
 * Throws where JSON would lose something. False where the JSON text says something else than the value as it stands,
 * because of an undefined member or a `toJSON`. `trail` holds the keys that lead here.
 */
function isPlainJson(value: unknown, trail: PropertyKey[]): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      if (Number.isFinite(value)) return !Object.is(value, -0);
      throw new NotJson(trail, `is ${value}`);
    case "object":
      return value === null || isPlainObject(value, trail);
    default:
      throw new NotJson(trail, value === undefined ? "is undefined" : `is of type ${typeof value}`);
  }
}

function isPlainObject(value: object, trail: PropertyKey[]): boolean {
  if (trail.length >= maxResultDepth) throw new NotJson(trail.slice(0, 10), "holds a cycle or is nested too deeply");
  if ("toJSON" in value && typeof value.toJSON === "function") return isPlainToJson(value, trail);
  return hasPlainMembers(value, trail);
}

function hasPlainMembers(value: object, trail: PropertyKey[]): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  let plain = prototype === Object.prototype || prototype === Array.prototype || prototype === null;
  if (!plain) refuseExotic(value, trail);
  const members = value as Record<string, unknown>;
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  for (const key of keys) {
    const member = members[key];
    if (member === undefined && !Array.isArray(value)) {
      plain = false;
      continue;
    }
    trail.push(key);
    if (!isPlainJson(member, trail)) plain = false;
    trail.pop();
  }
  return plain;
}

function isPlainToJson(value: object & { toJSON?: unknown }, trail: PropertyKey[]): false {
  const written: unknown = (value.toJSON as (key: string) => unknown).call(value, String(trail.at(-1) ?? ""));
  if (written === null && value instanceof Date) throw new NotJson(trail, "is an invalid date");
  // Of what it gave, JSON asks no toJSON again.
  if (typeof written === "object" && written !== null) hasPlainMembers(written, trail);
  else isPlainJson(written, trail);
  return false;
}

/** Kinds that JSON would write without what they hold, even where they have members beside it. */
const lossy = new Set(["Error", "Map", "Promise", "ReadableStream", "Response", "Set"]);

/** Objects with a meaning that their own members do not hold: JSON would write most of them as `{}`. */
function refuseExotic(value: object, trail: PropertyKey[]): void {
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return void isPlainJson(value.valueOf(), trail);
  }
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  const isStream = "pipe" in value && typeof value.pipe === "function";
  const isData = kind === "Object" || kind === "Array" || (Object.keys(value).length > 0 && !lossy.has(kind));
  if (isData && !isStream && !ArrayBuffer.isView(value)) return;
  discard(value);
  throw new NotJson(trail, `is of type ${isStream ? "stream" : kind}`);
}

/** Frees what a stream or a response holds open, now that nobody will read it. */
function discard(value: object): void {
  const stream = value instanceof Response ? value.body : value;
  try {
    if (stream instanceof ReadableStream) stream.cancel().catch(() => undefined);
    else if (stream !== null && "destroy" in stream && typeof stream.destroy === "function") stream.destroy();
  } catch {
    // It was locked or is no stream at all: its owner keeps it.
  }
}
