/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Median, least and most.
 * @param {number[]} values
 */
export function spread(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * The ratio of two candidates, round by round: both halves of a pair saw the same machine, so noise that lasts
 * longer than a round cancels out.
 * @param {number[]} values
 * @param {number[]} base of the same rounds
 */
export function ratio(values, base) {
  return spread(values.map((value, round) => value / base[round]));
}
