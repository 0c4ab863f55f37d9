import type { JsonRefusal } from "./refusals.ts";

/** Nesting that a document may have, its root counted. */
export const maxDepth = 64;

export interface JsonDocument {
  readonly value: unknown;
  /** Duplicate keys, `__proto__`, and numbers that a JavaScript number cannot hold. Empty for nearly every document. */
  readonly refusals: readonly JsonRefusal[];
}

/** Where a value begins in its text, and where what follows it begins. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text that is not JSON, or is not looked at: it is nested too deeply, or has too many values. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** A text with more values than are read. */
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
