import { endOfString, isClosing, isOpening, isTokenCode, quote, skipSpace } from "./text.ts";

/**
 * The source text of an object's member, with digits, escapes and spacing unchanged. For a repeated key it is the last
 * one's, like JSON.parse.
 * @param text valid JSON
 * @returns undefined if it is not an object, or has no such member
 */
export function memberText(text: string, key: string): string | undefined {
  let found: string | undefined;
  for (const member of memberSlices(text)) if (member.key === key) found = member.value;
  return found;
}

/** The source texts of an object's members, in their order; none if it is not an object. */
export function* memberSlices(text: string): Generator<{ key: string; name: string; value: string }, undefined> {
  let at = skipSpace(text, 0);
  if (text[at] !== "{") return;
  at = skipSpace(text, at + 1);
  while (text[at] !== "}") {
    const end = endOfString(text, at) + 1;
    const name = text.slice(at, end);
    const start = skipSpace(text, skipSpace(text, end) + 1); // after the colon
    at = endOfValue(text, start);
    yield { key: JSON.parse(name) as string, name, value: text.slice(start, at) };
    at = skipSpace(text, at);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

/**
 * The source texts of an array's elements, one after the other: reading the first few does not parse the rest.
 * @param text valid JSON; yields none if it is not an array
 */
export function* elementTexts(text: string): Generator<string, undefined> {
  let at = skipSpace(text, 0);
  if (text[at] !== "[") return;
  at = skipSpace(text, at + 1);
  while (text[at] !== "]") {
    const start = at;
    at = endOfValue(text, start);
    yield text.slice(start, at);
    at = skipSpace(text, at);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

/** The text between an array's brackets: its elements unchanged. */
export function insideOfArray(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith("[") ? trimmed.slice(1, -1).trim() : "";
}

/** Where the keys and values of the object at `start` begin, in their order; none if it is not an object. */
export function* memberSpans(
  text: string,
  start: number,
): Generator<{ name: string; key: number; value: number }, undefined> {
  let at = skipSpace(text, start);
  if (text[at] !== "{") return;
  at = skipSpace(text, at + 1);
  while (text[at] !== "}") {
    const key = at;
    const end = endOfString(text, at) + 1;
    const value = skipSpace(text, skipSpace(text, end) + 1); // after the colon
    yield { name: JSON.parse(text.slice(key, end)) as string, key, value };
    at = skipSpace(text, endOfValue(text, value));
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

/** The index after the value that starts at `start`. It counts brackets, so that nesting needs no stack. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return endOfString(text, start) + 1;
  if (!isOpening(first)) return endOfToken(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (isOpening(code)) depth++;
    else if (isClosing(code) && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfToken(text: string, start: number): number {
  let at = start;
  while (at < text.length && isTokenCode(text.charCodeAt(at))) at++;
  return at;
}
