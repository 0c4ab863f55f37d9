import { endOfString, isClosing, isOpening, isTokenCode, quote, skipSpace } from "./text.ts";

/**
 * The source of an object's member, digits, escapes and spacing kept. Of a repeated key it is the last one's, as
 * JSON.parse has it.
 * @param text valid JSON
 * @returns undefined where it is no object, or has no such member
 */
export function memberText(text: string, key: string): string | undefined {
  let found: string | undefined;
  for (const member of memberSlices(text)) if (member.key === key) found = member.value;
  return found;
}

/** The sources of an object's members, in their order. Of what is no object there are none. */
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
 * The sources of an array's elements, one after the other: a look at the first few does not read the rest.
 * @param text valid JSON; of what is no array there are none
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

/** What stands between an array's brackets: its elements as they came. */
export function insideOfArray(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith("[") ? trimmed.slice(1, -1).trim() : "";
}

/** The index behind the value that starts at `start`. Counts brackets, so that nesting takes no stack. */
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
