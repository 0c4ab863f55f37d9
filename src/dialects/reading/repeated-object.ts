import { canonicalJson } from "../../json/canonical.ts";
import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { countValues, parseJson } from "../../json/parse.ts";
import { endOfObject } from "./object-end.ts";

export interface RepeatedObject {
  /** The one object as it was written first. */
  readonly text: string;
  readonly value: JsonObject;
  /** How many values all the objects have. */
  readonly values: number;
  /** What was left out. */
  readonly remark: string;
}

/** No service repeats arguments as often. */
const maxObjects = 1000;

/**
 * Reads a text that is no JSON because one object is in it several times, as where a service streams the arguments in
 * pieces and once more as a whole. Empty objects in front are what some services begin every call with.
 * @param maxValues how many values all of them may have
 * @returns undefined if the text is anything else, such as two objects that differ: which one was meant is unknown
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

/** Whether a text consists of objects, one behind the other: what is only cut off does not. */
export function holdsSeveralObjects(text: string): boolean {
  return splitObjects(text.trim()).length > 1;
}

const repeated = "The arguments were sent several times, each time the same. They are used once.";
const afterEmpty = "An empty object before the arguments was left out.";

/** @returns the objects that the text consists of; none if it is anything else */
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

/** @returns undefined if it is no object, or loses something as JSON */
function readObject(text: string): JsonObject | undefined {
  try {
    const { value, refusals } = parseJson(text);
    return isJsonObject(value) && refusals.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
