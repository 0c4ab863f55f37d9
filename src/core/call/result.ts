import { pointerToken } from "../../json/pointer.ts";
import { CallError } from "../errors.ts";

/** Levels that a result may be nested. Over these it is a cycle or nothing that anyone can use. */
const maxResultDepth = 256;

export interface ResultJson {
  /** What the text says, in objects of its own: what is checked is what is sent, whatever the result's getters give next. */
  readonly value: unknown;
  readonly text: string;
}

/**
 * Turns what a tool returned into JSON, refusing everything that JSON would lose in silence. As in JSON, undefined
 * members are left out and `toJSON` is heeded.
 *
 * Written by hand, because one look has to do what takes JSON.stringify, a second walk and JSON.parse together: to write,
 * to find what is no JSON, to stop at the size that is too large, however much would follow, and to keep what was written.
 * @throws CallError `invalid_result` with the place of what is not JSON, or `result_too_large`
 */
export function toResultJson(result: unknown, maxBytes: number): ResultJson {
  const writing: Writing = { trail: [], maxLength: maxBytes, written: undefined };
  let text: string;
  try {
    // A tool that returns nothing has returned null.
    text = write(result === undefined ? null : result, writing);
    if (exceeds(text, maxBytes)) throw new TooLong();
  } catch (error) {
    if (error instanceof TooLong) throw tooLarge(maxBytes);
    throw toResultError(error);
  }
  return { value: writing.written, text };
}

interface Writing {
  /** The keys that lead to the value at hand. */
  readonly trail: PropertyKey[];
  readonly maxLength: number;
  /** The value that the text which was written last says. */
  written: unknown;
}

class TooLong extends Error {}

class NotJson extends Error {
  readonly path: string;

  constructor(trail: readonly PropertyKey[], what: string) {
    super(what);
    this.path = trail.map((key) => pointerToken(String(key))).join("");
  }
}

function exceeds(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  // A UTF-16 unit is at most three bytes of UTF-8.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
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

function write(value: unknown, writing: Writing): string {
  switch (typeof value) {
    case "string":
      if (value.length > writing.maxLength) throw new TooLong();
      writing.written = value;
      return quote(value);
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

/** Short texts seldom need an escape, and looking is cheaper than JSON.stringify. */
function quote(text: string): string {
  if (text.length > 100) return JSON.stringify(text);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isPlain = code > 31 && code !== 34 && code !== 92 && (code < 0xd800 || code > 0xdfff);
    if (!isPlain) return JSON.stringify(text);
  }
  return `"${text}"`;
}

function writeObject(value: object, writing: Writing): string {
  if (writing.trail.length >= maxResultDepth) {
    throw new NotJson(writing.trail.slice(0, 10), "holds a cycle or is nested too deeply");
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
    text += `${text === "" ? "" : ","}${quote(key)}:${write(member, writing)}`;
    if (text.length > writing.maxLength) throw new TooLong();
    writing.trail.pop();
    if (key === "__proto__") defineMember(written, key, writing.written);
    else written[key] = writing.written;
  }
  writing.written = written;
  return `{${text}}`;
}

/** Assigning to `__proto__` would set the prototype. */
function defineMember(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
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
  // Of what it gave, JSON asks no toJSON again.
  return typeof written === "object" && written !== null ? writeMembers(written, writing) : write(written, writing);
}

function primitiveOf(value: object): unknown {
  const isBoxed = value instanceof Number || value instanceof String || value instanceof Boolean;
  return isBoxed ? value.valueOf() : undefined;
}

const bytesAdvice = 'is bytes, which JSON does not have: return text in base64, such as buffer.toString("base64")';

function isBytes(value: object): boolean {
  return (
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer ||
    value instanceof SharedArrayBuffer ||
    value instanceof Blob
  );
}

/** Kinds that JSON would write without what they hold, even where they have members beside it. */
const lossy = new Set(["Error", "Map", "Promise", "ReadableStream", "Response", "Set"]);
const generators = new Set(["AsyncGenerator", "Generator"]);

/** Objects with a meaning that their own members do not hold: JSON would write most of them as `{}`. */
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

/** Closed, for nobody will ask it for more: what it holds open is freed in its `finally`. */
function refuseGenerator(generator: Generator | AsyncGenerator, trail: PropertyKey[]): NotJson {
  try {
    void Promise.resolve(generator.return(undefined)).catch(() => undefined);
  } catch {
    // It runs at this moment, or its `finally` failed.
  }
  return new NotJson(trail, "is a generator: return one value, and report what comes before it with context.progress");
}

/** Frees what a stream or a response holds open, now that nobody will read it. */
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
    // It was locked or is no stream at all: its owner keeps it.
  }
}
