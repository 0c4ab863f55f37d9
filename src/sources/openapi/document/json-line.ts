import { memberSpans } from "../../../json/slice.ts";
import type { Path } from "../../../yaml/document.ts";

type Members = ReadonlyMap<string, { readonly key: number; readonly value: number }>;

/**
 * Finds the line of the key at a path of a JSON text, or of the nearest enclosing one that the text contains. Each object
 * on the way is scanned once, however many paths lead through it.
 */
export function createLineOf(text: string): (path: Path) => number {
  const known = new Map<number, Members>();
  let lineEnds: readonly number[] | undefined;
  return (path) => {
    let start = 0;
    let offset = 0;
    for (const token of path) {
      const members = known.get(start) ?? readMembers(text, start);
      known.set(start, members);
      const found = members.get(String(token));
      if (found === undefined) break;
      offset = found.key;
      start = found.value;
    }
    return countBelow((lineEnds ??= findLineEnds(text)), offset) + 1;
  };
}

/** Of members with one name, the last counts. */
function readMembers(text: string, start: number): Members {
  const members = new Map<string, { readonly key: number; readonly value: number }>();
  for (const { name, key, value } of memberSpans(text, start)) members.set(name, { key, value });
  return members;
}

function findLineEnds(text: string): number[] {
  const ends: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at);
  return ends;
}

function countBelow(sorted: readonly number[], offset: number): number {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
