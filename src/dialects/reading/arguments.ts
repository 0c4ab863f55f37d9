import { CallError } from "../../errors/errors.ts";
import { isJsonObject } from "../../json/object.ts";
import { maxIssues } from "../../schema/issues.ts";
import { type JsonDocument, JsonSyntaxError, parseCounted, type JsonRefusal, TooManyValues } from "../../json/parse.ts";
import type { Repair } from "../../schema/repair.ts";
import { escapeControlCharacters } from "./control-characters.ts";
import type { JsonNode } from "./json-place.ts";
import { readRepeatedObject } from "./repeated-object.ts";

export interface ReadArguments {
  /** Any JSON value: the check of the call reports if it is not an object. */
  readonly value: unknown;
  readonly repairs: readonly Repair[];
  /** They cannot be parsed, or not without loss: the call must not run. */
  readonly refusal: CallError | undefined;
  /** How the text differs from one JSON object, if it could still be read. */
  readonly remark?: string;
}

/**
 * Maximum number of values that the calls of one reply may have in arguments that are parsed from text: more than a
 * model can write.
 */
const maxValues = 50_000;

/** The values that remain. */
export interface ValuesLeft {
  values: number;
}

export function createValuesLeft(): ValuesLeft {
  return { values: maxValues };
}

/**
 * The arguments of a call, which providers send as an object or as its JSON text, and some services as either.
 * @param isStrict the document contains something that Toolhost refuses: arguments that are an object are searched for
 * it
 * @param left the budget that the calls of one reply share
 */
export function readArguments(input: JsonNode | undefined, isStrict: boolean, left: ValuesLeft): ReadArguments {
  // Without arguments, some models and clients send null instead of an object.
  if (input === undefined || input.value === null) return good({});
  if (typeof input.value === "string") return readArgumentsText(input.value, left);
  const read = isStrict ? parse(input.text(), left) : undefined;
  if (read instanceof CallError) return { value: undefined, repairs: [], refusal: read };
  return read !== undefined && read.refusals.length > 0 ? refused(read.refusals) : good(input.value);
}

/**
 * Arguments as JSON text. Models call without arguments by a blank text. JSON that contains the JSON text of an object
 * was encoded twice, and is decoded again. One object that was sent several times counts once. Control characters in
 * strings may be unescaped. A broken or cut-off text never becomes a call.
 */
export function readArgumentsText(text: string, left: ValuesLeft = createValuesLeft()): ReadArguments {
  if (text.trim() === "") return good({});
  const outer = parse(text, left);
  if (outer instanceof CallError)
    return readRepeated(text, left) ?? readEscaped(text, left) ?? { value: undefined, repairs: [], refusal: outer };
  if (outer.refusals.length > 0) return refused(outer.refusals);
  if (typeof outer.value !== "string") return good(outer.value);
  const inner = parse(outer.value, left);
  if (inner instanceof CallError)
    return readRepeated(outer.value, left) ?? readEscaped(outer.value, left) ?? good(outer.value);
  if (!isJsonObject(inner.value)) return good(outer.value);
  if (inner.refusals.length > 0) return refused(inner.refusals);
  return { ...good(inner.value), repairs: [{ path: "", kind: "parsed_json" }], remark: encodedTwice };
}

const encodedTwice = "The arguments were encoded as JSON twice.";

function readRepeated(text: string, left: ValuesLeft): ReadArguments | undefined {
  const read = readRepeatedObject(text, left.values);
  if (read === undefined) return undefined;
  left.values -= read.values;
  return { ...good(read.value), remark: read.remark };
}

/** @returns undefined if it is not one object even with its control characters escaped */
function readEscaped(text: string, left: ValuesLeft): ReadArguments | undefined {
  const escaped = escapeControlCharacters(text);
  if (escaped === undefined) return undefined;
  const read = readArgumentsText(escaped, left);
  return isJsonObject(read.value) ? { ...read, remark: read.remark ?? unescaped } : undefined;
}

const unescaped = "The arguments contained control characters, such as line breaks, that were not escaped in JSON.";

function good(value: unknown): ReadArguments {
  return { value, repairs: [], refusal: undefined };
}

function refused(refusals: readonly JsonRefusal[]): ReadArguments {
  const issues = refusals.slice(0, maxIssues).map(({ path, reason }) => ({ path, message: reason, keyword: "json" }));
  const message =
    "The arguments contain keys or numbers that are not allowed: see the issues. Correct them and call again.";
  return { value: undefined, repairs: [], refusal: new CallError("invalid_arguments", message, { issues }) };
}

function parse(text: string, left: ValuesLeft): JsonDocument | CallError {
  try {
    const document = parseCounted(text, left.values);
    left.values -= document.values;
    return document;
  } catch (error) {
    if (error instanceof TooManyValues) return tooManyValues();
    if (!(error instanceof JsonSyntaxError)) throw error;
    const message = `The arguments cannot be read: they must be one JSON object. ${error.message} Call again.`;
    return new CallError("invalid_arguments", message);
  }
}

function tooManyValues(): CallError {
  return new CallError(
    "invalid_arguments",
    `The arguments are too large: the calls of one reply may have ${maxValues} values together. Call again with fewer.`,
  );
}
