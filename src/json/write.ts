import { setOwn } from "./object.ts";
import { pointerToken } from "./pointer.ts";
import { escapesHalf } from "./well-formed.ts";

/** Maximum nesting of a value. Beyond it is a cycle, or a value that nobody can use. */
const maxLevels = 256;

export interface WrittenJson {
  /**
   * The value of the text, in new objects: the checked value is the one that is sent, whatever the value's getters
   * return next.
   */
  readonly value: unknown;
  readonly text: string;
  /** Whether a string or key may contain half a surrogate pair, or the escape of one. */
  readonly mayHoldHalf: boolean;
}

/** The text is longer than allowed. */
export class TooLong extends Error {}

/** A value that JSON does not have. The message completes "the value at `path` …". */
export class NotJson extends Error {
  /** JSON Pointer (RFC 6901); `""` is the root. */
  readonly path: string;

  constructor(trail: readonly PropertyKey[], what: string) {
    super(what);
    this.path = trail.map((key) => pointerToken(String(key))).join("");
  }
}

/**
 * Writes a value as JSON, and refuses everything that JSON.stringify would lose without an error. As in JSON, undefined
 * members are left out and `toJSON` is called.
 *
 * Written by hand, because one pass does what takes JSON.stringify, a second walk and JSON.parse together: it writes, finds
 * what is not JSON, stops at the largest size, however much would follow, and keeps what it wrote.
 * @throws NotJson, TooLong, and whatever a getter or a toJSON throws
 */
export function writeJson(value: unknown, maxBytes: number): WrittenJson {
  const writing: Writing = { trail: [], maxLength: maxBytes, written: undefined, mayHoldHalf: false };
  const text = write(value, writing);
  if (exceeds(text, maxBytes)) throw new TooLong();
  return { value: writing.written, text, mayHoldHalf: writing.mayHoldHalf };
}

interface Writing {
  /** The keys that lead to the current value. */
  readonly trail: PropertyKey[];
  readonly maxLength: number;
  /** The value of the text that was written last. */
  written: unknown;
  mayHoldHalf: boolean;
}

function exceeds(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  // A UTF-16 unit is at most three bytes of UTF-8.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

function write(value: unknown, writing: Writing): string {
  switch (typeof value) {
    case "string":
      if (value.length > writing.maxLength) throw new TooLong();
      writing.written = value;
      return quote(value, writing);
    case "boolean":
      writing.written = value;
      return value ? "true" : "false";
    case "number":
      if (!Number.isFinite(value)) throw new NotJson(writing.trail, `is ${value}`);
      writing.written = value + 0; // JSON.stringify writes -0 as 0.
      return String(value);
    case "object":
      if (value !== null) return writeObject(value, writing);
      writing.written = null;
      return "null";
    default:
      throw new NotJson(writing.trail, value === undefined ? "is undefined" : `is of type ${typeof value}`);
  }
}

/** Short texts rarely need an escape, and searching for one costs less than JSON.stringify. */
function quote(text: string, writing: Writing): string {
  return text.length <= 100 && isPlain(text) ? `"${text}"` : escape(text, writing);
}

function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 31 || code === 34 || code === 92 || (code >= 0xd800 && code <= 0xdfff)) return false;
  }
  return true;
}

function escape(text: string, writing: Writing): string {
  const quoted = JSON.stringify(text);
  if (escapesHalf(quoted)) writing.mayHoldHalf = true;
  return quoted;
}

function writeObject(value: object, writing: Writing): string {
  if (writing.trail.length >= maxLevels) {
    throw new NotJson(writing.trail.slice(0, 10), "contains a cycle or is nested too deeply");
  }
  if ("toJSON" in value && typeof value.toJSON === "function") {
    // A Buffer's toJSON would write a number for each byte.
    if (isBytes(value)) throw new NotJson(writing.trail, bytesAdvice);
    return writeToJson(value, writing);
  }
  return writeMembers(value, writing);
}

function writeMembers(value: object, writing: Writing): string {
  if (Array.isArray(value)) return writeItems(value, writing);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const primitive = primitiveOf(value);
    if (primitive !== undefined) return write(primitive, writing);
    refuseExotic(value, writing.trail);
  }
  const written: Record<string, unknown> = {};
  let text = "";
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    writing.trail.push(key);
    text += `${text === "" ? "" : ","}${quote(key, writing)}:${write(member, writing)}`;
    if (text.length > writing.maxLength) throw new TooLong();
    writing.trail.pop();
    if (key === "__proto__") setOwn(written, key, writing.written);
    else written[key] = writing.written;
  }
  writing.written = written;
  return `{${text}}`;
}

function writeItems(items: readonly unknown[], writing: Writing): string {
  const written: unknown[] = [];
  let text = "";
  for (let index = 0; index < items.length; index++) {
    writing.trail.push(index);
    text += `${index === 0 ? "" : ","}${write(items[index], writing)}`;
    if (text.length > writing.maxLength) throw new TooLong();
    writing.trail.pop();
    written.push(writing.written);
  }
  writing.written = written;
  return `[${text}]`;
}

function writeToJson(value: object & { toJSON?: unknown }, writing: Writing): string {
  const key = String(writing.trail.at(-1) ?? "");
  const written: unknown = (value.toJSON as (key: string) => unknown).call(value, key);
  if (written === null && value instanceof Date) throw new NotJson(writing.trail, "is an invalid date");
  // JSON.stringify calls toJSON once; it does not call it on what toJSON returned.
  return typeof written === "object" && written !== null ? writeMembers(written, writing) : write(written, writing);
}

function primitiveOf(value: object): unknown {
  const isBoxed = value instanceof Number || value instanceof String || value instanceof Boolean;
  return isBoxed ? value.valueOf() : undefined;
}

const bytesAdvice = 'is bytes, which JSON does not have; return text in base64, such as buffer.toString("base64")';

function isBytes(value: object): boolean {
  return (
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer ||
    value instanceof SharedArrayBuffer ||
    value instanceof Blob
  );
}

/** Kinds that JSON would write without their content, even if they have members too. */
const lossy = new Set(["Error", "Map", "Promise", "ReadableStream", "Response", "Set"]);
const generators = new Set(["AsyncGenerator", "Generator"]);

/** Refuses objects whose content is not in their own members: JSON would write most of them as `{}`. */
function refuseExotic(value: object, trail: PropertyKey[]): void {
  if (isBytes(value)) throw new NotJson(trail, bytesAdvice);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (generators.has(kind)) throw refuseGenerator(value as Generator, trail);
  const isStream = "pipe" in value && typeof value.pipe === "function";
  const isData = kind === "Object" || (Object.keys(value).length > 0 && !lossy.has(kind));
  if (isData && !isStream) return;
  discard(value);
  throw new NotJson(trail, `is of type ${isStream ? "stream" : kind}`);
}

/** Ends a generator that nobody will read: its `finally` releases what it has open. */
function refuseGenerator(generator: Generator | AsyncGenerator, trail: PropertyKey[]): NotJson {
  try {
    void Promise.resolve(generator.return(undefined)).catch(() => undefined);
  } catch {
    // It is running, or its `finally` failed.
  }
  return new NotJson(trail, "is a generator; return one value, and report intermediate results with context.progress");
}

/** Releases what a stream or a response has open, because nobody will read it. */
function discard(value: object): void {
  const stream: unknown = "body" in value ? value.body : value;
  try {
    if (stream instanceof ReadableStream) stream.cancel().catch(() => undefined);
    else if (
      typeof stream === "object" &&
      stream !== null &&
      "destroy" in stream &&
      typeof stream.destroy === "function"
    )
      stream.destroy();
  } catch {
    // It is locked or not a stream: its owner keeps it.
  }
}
