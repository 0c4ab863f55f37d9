/** Nobody misspells longer words, and comparing them takes time. */
const maxLength = 64;

/**
 * The candidate that was probably meant: equal but for case and separators, or within a third of its length in edits.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > maxLength) return undefined;
  const folded = fold(word);
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const target = fold(candidate);
    const allowed = Math.max(1, Math.floor(Math.max(folded.length, target.length) / 3));
    if (target.length > maxLength || Math.abs(folded.length - target.length) > allowed) continue;
    const distance = folded === target ? 0 : edits(folded, target, Math.min(allowed, bestDistance));
    if (distance > allowed || distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[\s_.-]+/g, "");
}

/**
 * Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. Infinite as soon as it
 * is surely over `most`.
 */
function edits(a: string, b: string, most: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current.push(cost);
    }
    if (Math.min(...current) > most && Math.min(...last) > most) return Infinity;
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
