/** Nobody misspells longer words, and comparing them takes time. */
const maxLength = 64;

/**
 * The candidate that was probably meant: equal except for case and separators, or with at most a third of its length in
 * edits.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > maxLength) return undefined;
  const folded = fold(word);
  const letters = lettersOf(folded);
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    // A long one is not even folded: 128 words may be looked for among a thousand at once.
    if (candidate.length > 2 * maxLength) continue;
    const target = fold(candidate);
    const allowed = Math.max(1, Math.floor(Math.max(folded.length, target.length) / 3));
    const most = Math.min(allowed, bestDistance - 1);
    if (target.length > maxLength || Math.abs(folded.length - target.length) > most) continue;
    if (folded !== target && foreignLetters(letters, target) > most) continue;
    const distance = folded === target ? 0 : edits(folded, target, most);
    if (distance > most) continue;
    best = candidate;
    bestDistance = distance;
    if (distance === 0) break;
  }
  return best;
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[\s_.-]+/g, "");
}

/** How often each letter occurs in a word, by the last bits of its code. */
function lettersOf(word: string): Uint8Array {
  const counts = new Uint8Array(32);
  for (let i = 0; i < word.length; i++) counts[word.charCodeAt(i) & 31]!++;
  return counts;
}

const left = new Uint8Array(32);

/** The letters of a word that the other word lacks: each takes an edit. Much cheaper than to count the edits. */
function foreignLetters(letters: Uint8Array, word: string): number {
  left.set(letters);
  let foreign = 0;
  for (let i = 0; i < word.length; i++) {
    const letter = word.charCodeAt(i) & 31;
    if (left[letter] === 0) foreign++;
    else left[letter]!--;
  }
  return foreign;
}

// Three rows of the table of edits, made once. Nothing runs between their writing and their reading.
const rows = [0, 1, 2].map(() => new Uint8Array(maxLength + 2));

/**
 * Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. Reads only the part
 * of the table that `most` edits can reach. @returns a number over `most` as soon as the distance is certainly over it
 */
function edits(a: string, b: string, most: number): number {
  const tooMany = most + 1;
  let [beforeLast, last, current] = rows as [Uint8Array, Uint8Array, Uint8Array];
  for (let column = 0; column <= b.length; column++) last[column] = Math.min(column, tooMany);
  for (let row = 1; row <= a.length; row++) {
    const from = Math.max(1, row - most);
    const to = Math.min(b.length, row + most);
    const letter = a.charCodeAt(row - 1);
    let least = (current[from - 1] = from === 1 ? Math.min(row, tooMany) : tooMany);
    for (let column = from; column <= to; column++) {
      const other = b.charCodeAt(column - 1);
      let cost = last[column - 1]! + (letter === other ? 0 : 1);
      if (last[column]! + 1 < cost) cost = last[column]! + 1;
      if (current[column - 1]! + 1 < cost) cost = current[column - 1]! + 1;
      if (row > 1 && column > 1 && letter === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === other) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current[column] = cost;
      if (cost < least) least = cost;
    }
    // The next row looks one column further.
    if (to < b.length) current[to + 1] = tooMany;
    if (least > most) return tooMany;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[b.length]!;
}
