import { memberSpans } from "../../../json/slice.ts";
import type { Path } from "../../../yaml/document.ts";

/** The line of the key at a path of a JSON text, or of the nearest enclosing one that the text contains. Scans the text. */
export function lineOfPath(text: string, path: Path): number {
  let start = 0;
  let line = 0;
  for (const token of path) {
    let found: { readonly key: number; readonly value: number } | undefined;
    for (const span of memberSpans(text, start)) if (span.name === String(token)) found = span;
    if (found === undefined) break;
    line = found.key;
    start = found.value;
  }
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < line; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
