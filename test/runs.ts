/** How often a property is tried: as often as asked in CI and if test files are named, a tenth of it in `npm test`. */
export function runs(count: number): number {
  return process.env["TEST_SIZE"] === "quick" ? Math.ceil(count / 10) : count;
}
