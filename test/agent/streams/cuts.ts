import fc from "fast-check";

/** A text cut into pieces, some of them empty. */
export function piecesOf(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat({ max: text.length }), { maxLength: 4 }).map((places) => {
    const cuts = [0, ...places.sort((a, b) => a - b), text.length];
    return cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
  });
}

/** Lists merged into one that keeps the order of each. */
export function interleave<T>(lists: readonly (readonly T[])[]): fc.Arbitrary<T[]> {
  const turns = lists.flatMap((list, index) => list.map(() => index));
  return fc
    .shuffledSubarray(
      turns.map((_, index) => index),
      { minLength: turns.length },
    )
    .map((order) => {
      const next = lists.map(() => 0);
      return order.map((place) => {
        const list = turns[place]!;
        return lists[list]![next[list]!++]!;
      });
    });
}
