const isQuick = process.env["TEST_SIZE"] === "quick";

/** How large an input is: `full` in CI and if test files are named, `quick` in `npm test`. */
export function sizeOf(full: number, quick: number): number {
  return isQuick ? quick : full;
}

/** How often a property is tried: as often as asked in CI and if test files are named, a twentieth of it in `npm test`. */
export function runs(count: number, quickCount = Math.ceil(count / 20)): number {
  return sizeOf(count, quickCount);
}

/** All of them in CI and if test files are named; in `npm test` only each `step`th, counted from the last. */
export function sampleOf<Item>(all: readonly Item[], step: number): Item[] {
  return all.filter((_item, index) => !isQuick || (all.length - 1 - index) % step === 0);
}
