import { endOfString } from "../../json/text.ts";

const control = /[^ -\uffff]/;
const controls = new RegExp(control, "g");

/**
 * Escapes the control characters inside the strings of a text: some models write the line breaks of a text as they are,
 * which JSON does not allow.
 * @returns undefined if no string contains any
 */
export function escapeControlCharacters(text: string): string | undefined {
  if (!control.test(text)) return undefined;
  const pieces: string[] = [];
  let from = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', from)) {
    const end = endOfString(text, start);
    pieces.push(text.slice(from, start), text.slice(start, end + 1).replace(controls, escapeOf));
    from = end + 1;
  }
  pieces.push(text.slice(from));
  const escaped = pieces.join("");
  return escaped === text ? undefined : escaped;
}

function escapeOf(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
