import { canonicalJson } from "../../json/canonical.ts";
import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { countValues, parseJson } from "../../json/parse.ts";
import { endOfObject } from "./object-end.ts";

export interface RepeatedObject {
  /** The object as it was first written. */
  readonly text: string;
  readonly value: JsonObject;
  /** Number of values in all the objects together. */
  readonly values: number;
  /** Describes what was left out. */
  readonly remark: string;
}

/** No service repeats arguments as often. */
const maxObjects = 1000;

/**
 * Reads a text that is not JSON because it contains one object several times, for example if a service streams the
 * arguments in pieces and then again as a whole. Some services begin every call with empty objects.
 * @param maxValues maximum number of values in all of them together
 * @returns undefined for any other text, such as two different objects: it is unknown which one was meant
 */
export function readRepeatedObject(text: string, maxValues = Infinity): RepeatedObject | undefined {
  const pieces = splitObjects(text.trim());
  if (pieces.length < 2) return undefined;
  const values = pieces.reduce((sum, piece) => sum + countValues(piece, maxValues), 0);
  if (values > maxValues) return undefined;
  const firstFull = pieces.findIndex((piece) => !/^\{\s*\}$/.test(piece));
  const [first = "", ...others] = pieces.slice(Math.max(0, firstFull));
  const value = readObject(first);
  if (value === undefined) return undefined;
  const canonical = canonicalJson(value);
  const isSame = (piece: string): boolean => {
    const other = piece === first ? value : readObject(piece);
    return other === value || (other !== undefined && canonicalJson(other) === canonical);
  };
  return others.every(isSame)
    ? { text: first, value, values, remark: others.length > 0 ? repeated : afterEmpty }
    : undefined;
}

/** Whether a text is a sequence of objects. A text that is only cut off is not. */
export function isSeveralObjects(text: string): boolean {
  return splitObjects(text.trim()).length > 1;
}

const repeated = "The arguments were sent several times, each time the same. They are used once.";
const afterEmpty = "The arguments began with an empty object, which was ignored.";

/** @returns the objects that the text consists of; none for any other text */
function splitObjects(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = endOfObject(text, start);
    if (end === undefined || pieces.length === maxObjects) return [];
    pieces.push(text.slice(start, end).trim());
    start = end;
  }
  return pieces;
}

/** @returns undefined if it is not an object, or loses something as JSON */
function readObject(text: string): JsonObject | undefined {
  try {
    const { value, refusals } = parseJson(text);
    return isJsonObject(value) && refusals.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
