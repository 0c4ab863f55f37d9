import type { JsonRefusal } from "./refusals.ts";

/** Maximum nesting of a document, including its root. */
export const maxDepth = 64;

export interface JsonDocument {
  readonly value: unknown;
  /**
   * Duplicate keys, `__proto__`, and numbers that a JavaScript number cannot represent. Empty for nearly every
   * document.
   */
  readonly refusals: readonly JsonRefusal[];
}

/** The index at which a value begins in its text, and the index after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text that is not JSON, or is not read because it is nested too deeply or has too many values. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** A text with more values than the limit. */
export class TooManyValues extends JsonSyntaxError {}

export function notJson(): JsonSyntaxError {
  return new JsonSyntaxError("The text is not valid JSON.");
}

export function tooDeep(): JsonSyntaxError {
  return new JsonSyntaxError(`The JSON is nested over ${maxDepth} levels.`);
}

export function tooManyValues(maxValues: number): TooManyValues {
  return new TooManyValues(`The JSON has over ${maxValues} values.`);
}
