import fc from "fast-check";

/** What decides where texts are cut and which list is next. */
export const numbers = fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 12 });

/** A text in pieces of these sizes, taken in turns. Some may be empty; there is at least one. */
export function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let start = 0, turn = 0; start < text.length; turn++) {
    // Never all 0: each round takes something.
    const size = turn % sizes.length === 0 ? Math.max(1, sizes[0] ?? 1) : (sizes[turn % sizes.length] ?? 1);
    pieces.push(text.slice(start, start + size));
    start += size;
  }
  return pieces.length > 0 ? pieces : [""];
}

/** All lists in one, each in its own order. */
export function interleave<T>(lists: readonly (readonly T[])[], picks: readonly number[]): T[] {
  const left = lists.filter((list) => list.length > 0).map((list) => [...list]);
  const all: T[] = [];
  for (let turn = 0; left.length > 0; turn++) {
    const at = (picks[turn % picks.length] ?? 0) % left.length;
    const list = left[at] ?? [];
    all.push(...list.splice(0, 1));
    if (list.length === 0) left.splice(at, 1);
  }
  return all;
}

/** A text cut into pieces, some of them empty. */
export function piecesOf(text: string): fc.Arbitrary<string[]> {
  return numbers.map((sizes) => cut(text, sizes));
}

/** Lists merged into one that keeps the order of each. */
export function interleaved<T>(lists: readonly (readonly T[])[]): fc.Arbitrary<T[]> {
  return numbers.map((picks) => interleave(lists, picks));
}
