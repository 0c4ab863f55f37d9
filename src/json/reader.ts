import type { JsonObject } from "./object.ts";
import { pointerToken } from "./pointer.ts";
import { RefusalList, refusedNumber } from "./refusals.ts";
import { type JsonDocument, maxDepth, notJson, type Span, tooDeep, tooManyValues } from "./syntax.ts";
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  endOfString,
  endOfToken,
  openBrace,
  openBracket,
  quote,
  startOfCutEscape,
} from "./text.ts";

/** What the grammar allows next. */
type Next = "item or end" | "key or end" | "value" | "key" | "colon" | "comma or end" | "nothing";

/** Messages, calls and their arguments are not deeper in any provider's reply. */
const spanDepth = 8;
const maxKeyLength = 100;

/**
 * Reads a JSON text in pieces, as JSON.parse would read the whole, and reports what that would lose. All of the work is
 * done as the pieces arrive, so that a long document never blocks the event loop for long. A piece may end between any
 * two characters.
 */
export class JsonReader {
  readonly #maxValues: number;
  readonly #refusals = new RefusalList();
  /** The open arrays and objects, from the root on, and for each object the key of its next value. */
  readonly #holders: (unknown[] | JsonObject)[] = [];
  readonly #keys: string[] = [];
  /** Where each of them begins. */
  readonly #starts: number[] = [];
  readonly #spans: Map<object, Span> | undefined;
  /** Number of characters in the earlier pieces. */
  #offset = 0;
  #root: unknown = undefined;
  #values = 0;
  #next: Next = "value";
  /** The decoded beginning of a string that has not ended yet. */
  #string: string | undefined = undefined;
  /** An escape that the end of the last piece cut. */
  #cutEscape = "";
  /** The parts of a number or literal that may continue in the next piece. */
  #token: string[] | undefined = undefined;

  /** @param options `maxValues`: maximum number of values, including nested ones, not counting keys */
  constructor({ maxValues = Infinity, keepsSpans = false }: { maxValues?: number; keepsSpans?: boolean } = {}) {
    this.#maxValues = maxValues;
    this.#spans = keepsSpans ? new Map() : undefined;
  }

  /** The positions of objects and lists near the root in the whole text, if requested. */
  get spans(): ReadonlyMap<object, Span> | undefined {
    return this.#spans;
  }

  /** @throws JsonSyntaxError, or TooManyValues; then nothing more can be read */
  write(piece: string): void {
    let at = 0;
    if (this.#string !== undefined) at = this.#goOnString(piece, 0);
    else if (this.#token !== undefined) at = this.#goOnToken(piece, 0);
    while (at < piece.length) {
      const code = piece.charCodeAt(at);
      if (code === 32 || code === 10 || code === 13 || code === 9) at++;
      else if (code === quote) at = this.#startString(piece, at + 1);
      else if (code === comma || code === colon || code === closeBracket || code === closeBrace) {
        this.#take(code, at);
        at++;
      } else if (code === openBracket || code === openBrace) {
        this.#startValue();
        this.#open(code === openBracket ? [] : {}, at);
        at++;
      } else {
        this.#startValue();
        this.#token = [];
        at = this.#goOnToken(piece, at);
      }
    }
    this.#offset += piece.length;
  }

  /** @throws JsonSyntaxError if the text is incomplete */
  end(): JsonDocument {
    if (this.#token !== undefined) this.#endToken();
    if (this.#next !== "nothing" || this.#string !== undefined) throw notJson();
    return { value: this.#root, refusals: this.#refusals.found };
  }

  #startValue(): void {
    if (this.#next !== "value" && this.#next !== "item or end") throw notJson();
    if (++this.#values > this.#maxValues) throw tooManyValues(this.#maxValues);
    this.#refusals.enter(this.#holders.length + 1);
  }

  #open(holder: unknown[] | JsonObject, at: number): void {
    if (this.#holders.length === maxDepth) throw tooDeep();
    this.#place(holder);
    this.#holders.push(holder);
    this.#keys.push("");
    this.#starts.push(this.#offset + at);
    this.#next = Array.isArray(holder) ? "item or end" : "key or end";
  }

  #take(code: number, at: number): void {
    const holder = this.#holders.at(-1);
    const isArray = Array.isArray(holder);
    if (code === colon) {
      if (this.#next !== "colon") throw notJson();
      this.#next = "value";
    } else if (code === comma) {
      if (this.#next !== "comma or end") throw notJson();
      this.#next = isArray ? "value" : "key";
    } else {
      const mayEnd = this.#next === "comma or end" || this.#next === (isArray ? "item or end" : "key or end");
      if (!mayEnd || holder === undefined || isArray !== (code === closeBracket)) throw notJson();
      const start = this.#starts.pop()!;
      if (this.#holders.length <= spanDepth) this.#spans?.set(holder, { start, end: this.#offset + at + 1 });
      this.#holders.pop();
      this.#keys.pop();
      this.#afterValue();
    }
  }

  /** Adds a value to its parent. */
  #place(value: unknown): void {
    const holder = this.#holders.at(-1);
    if (holder === undefined) this.#root = value;
    else if (Array.isArray(holder)) holder.push(value);
    else setMember(holder, this.#keys.at(-1)!, value);
  }

  #afterValue(): void {
    this.#next = this.#holders.length === 0 ? "nothing" : "comma or end";
  }

  #startString(piece: string, at: number): number {
    if (this.#next !== "key" && this.#next !== "key or end") this.#startValue();
    this.#string = "";
    return this.#goOnString(piece, at);
  }

  #goOnString(piece: string, start: number): number {
    // Only the start of a piece can continue a cut escape.
    const before = this.#cutEscape;
    const text = before === "" ? piece : before + piece;
    this.#cutEscape = "";
    const end = endOfString(text, start - 1);
    if (end < text.length) {
      // If all of it is here, it is read where it is: with quotes put around, each string would be copied once more.
      const quoted = start > 0 ? text.slice(start - 1, end + 1) : `"${text.slice(0, end)}"`;
      this.#string! += parseToken(quoted) as string;
      this.#endString();
      return end + 1 - before.length;
    }
    const cut = startOfCutEscape(text, start);
    this.#string! += start === 0 && cut === text.length ? decodePiece(text) : decodeString(text.slice(start, cut));
    this.#cutEscape = text.slice(cut);
    return piece.length;
  }

  #endString(): void {
    const text = this.#string!;
    this.#string = undefined;
    if (this.#next === "key" || this.#next === "key or end") return this.#takeKey(text);
    this.#place(text);
    this.#afterValue();
  }

  #takeKey(key: string): void {
    const depth = this.#holders.length;
    const refuse = (reason: string): void => this.#refusals.add(depth, reason, () => this.#pathTo(depth - 1));
    if (Object.hasOwn(this.#holders.at(-1)!, key)) refuse("has a key twice");
    if (key === "__proto__") refuse("has the key __proto__, which is not allowed");
    this.#keys[depth - 1] = key;
    this.#next = "colon";
  }

  #goOnToken(piece: string, start: number): number {
    const at = endOfToken(piece, start);
    this.#token!.push(piece.slice(start, at));
    if (at < piece.length) this.#endToken();
    return at;
  }

  #endToken(): void {
    const token = this.#token!.join("");
    this.#token = undefined;
    const value = parseToken(token);
    if (typeof value === "number" && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
      const reason = refusedNumber(token);
      const depth = this.#holders.length;
      if (reason !== undefined) this.#refusals.add(depth + 1, reason, () => this.#pathTo(depth));
    }
    this.#place(value);
    this.#afterValue();
  }

  /** A pointer to the value that the first `count` holders lead to. */
  #pathTo(count: number): string {
    return this.#holders
      .slice(0, count)
      .map((holder, index) => {
        if (!Array.isArray(holder)) return pointerToken(shorten(this.#keys[index]!));
        // An open value in it is already placed; a number is not.
        return pointerToken(index === this.#holders.length - 1 ? holder.length : holder.length - 1);
      })
      .join("");
  }
}

function setMember(holder: JsonObject, key: string, value: unknown): void {
  // Assigning to an inherited name may call a setter, or fail if the prototype is frozen.
  if (!(key in holder) || Object.hasOwn(holder, key)) holder[key] = value;
  else Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

/** A backslash or a control character: everything else in a string is its own content. */
const decodedOrRefused = /[^ -[\]-\uffff]/;

/**
 * Decodes a whole piece that is inside a string. Without escapes, the piece itself is the content: it is not copied, and
 * the parts of a long string are not joined before the string is used.
 */
function decodePiece(piece: string): string {
  return decodedOrRefused.test(piece) ? decodeString(piece) : piece;
}

function decodeString(content: string): string {
  return parseToken(`"${content}"`) as string;
}

function parseToken(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    throw notJson();
  }
}

function shorten(key: string): string {
  return key.length <= maxKeyLength ? key : `${key.slice(0, maxKeyLength)}…`;
}
