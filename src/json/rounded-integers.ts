import { refusedNumber } from "./refusals.ts";

/** Shorter integers are held exactly. */
const integer = /(?<=^|[\s:,[])-?\d{16,}(?=[\s,\]}]|$)/g;
/** Shorter integers that were rounded are visible in the value: they are not safe, and less than 1e21. */
const longInteger = /(?<=^|[\s:,[])-?\d{22,}(?=[\s,\]}]|$)/g;

/** Whether JSON contains an integer that is not held exactly: as an identifier, it would name something else. */
export function hasRoundedInteger(json: string): boolean {
  return roundedIntegers(json, integer).next().done === false;
}

/**
 * JSON text in which each integer of 22 or more digits that would be rounded is a number that is read as infinite. After it is
 * read, a rounded one cannot be distinguished from a number that was written with an exponent.
 */
export function markRoundedIntegers(json: string): string {
  let marked = "";
  let end = 0;
  for (const { 0: token, index } of roundedIntegers(json, longInteger)) {
    marked += `${json.slice(end, index)}${token.startsWith("-") ? "-" : ""}1e999`;
    end = index + token.length;
  }
  return end === 0 ? json : marked + json.slice(end);
}

/**
 * In linear time, whatever the text: a pattern for strings would search for the end of one without an end from each of its quotes,
 * and needs memory for each escape.
 */
function* roundedIntegers(json: string, pattern: RegExp): Generator<RegExpExecArray> {
  // The first string that ends behind the match.
  let start = startOfString(json, 0);
  let end = endOfString(json, start);
  for (const match of json.matchAll(pattern)) {
    if (refusedNumber(match[0]) === undefined) continue;
    while (end <= match.index) {
      start = startOfString(json, end);
      end = endOfString(json, start);
    }
    if (match.index < start) yield match;
  }
}

function startOfString(json: string, from: number): number {
  const start = json.indexOf('"', from);
  return start === -1 ? json.length : start;
}

function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
}
