import { isJsonObject } from "./object.ts";
import { endOfString } from "./text.ts";

const escapedHalf = /\\u[dD][89a-fA-F]/;

/**
 * Whether JSON text may contain half a surrogate pair, or the escape of one inside a string. One native search: it passes
 * many backslashes several times faster than `includes` does.
 */
export function escapesHalf(json: string): boolean {
  return escapedHalf.test(json);
}

/**
 * A string with U+FFFD in the place of each half of a surrogate pair, which no provider takes and no UTF-8 can say: what
 * is left where a text was cut by its length. In a string that is JSON text the escape of a half counts as one.
 * @returns the same string if it holds none
 */
export function mendText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return escapedHalf.test(whole) && isJsonText(whole) ? mendJson(whole) : whole;
}

/**
 * JSON text whose strings hold no half. All other strings, numbers and spaces stay as they were written.
 * @param json valid JSON
 */
export function mendJson(json: string): string {
  if (!escapesHalf(json)) return json;
  let mended = "";
  let copied = 0;
  for (let start = json.indexOf('"'); start >= 0;) {
    const end = endOfString(json, start) + 1;
    const written = json.slice(start, end);
    if (escapedHalf.test(written)) {
      const text = JSON.parse(written) as string;
      const whole = mendText(text);
      if (whole !== text) {
        mended += json.slice(copied, start) + JSON.stringify(whole);
        copied = end;
      }
    }
    start = json.indexOf('"', end);
  }
  return copied === 0 ? json : mended + json.slice(copied);
}

/**
 * A value with all its strings and keys mended, as {@link mendText} does.
 * @param value what JSON.parse could have made
 * @returns the same value if there is nothing to mend
 */
export function mendValue<Value>(value: Value): Value;
export function mendValue(value: unknown): unknown {
  if (typeof value === "string") return mendText(value);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mendValue(item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const mended = entries.map(([key, member]): [string, unknown] => [mendText(key), mendValue(member)]);
  const isSame = entries.every(([key, member], index) => key === mended[index]?.[0] && member === mended[index][1]);
  return isSame ? value : Object.fromEntries(mended);
}

const mended = new WeakSet<object>();

/** Remembers of an outcome that its own words were mended. Kept beside it: an outcome holds nothing more than it says. */
export function noteMended<Outcome extends object>(outcome: Outcome): Outcome {
  mended.add(outcome);
  return outcome;
}

export function wasMended(outcome: object): boolean {
  return mended.has(outcome);
}

function isJsonText(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
