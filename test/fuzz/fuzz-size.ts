import fc from "fast-check";

/** `FUZZ_SIZE=nightly` looks for what is rare; every commit looks for what is common. */
export const isNightly = process.env["FUZZ_SIZE"] === "nightly";

/** `FUZZ_SEED` repeats a run; without it each run looks elsewhere. */
export const fuzzSeed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 0x7fffffff);

/** How long a fuzzing test may take. */
export const fuzzTimeoutMs = isNightly ? 1_800_000 : 60_000;

export interface FuzzRuns {
  readonly commit: number;
  readonly nightly: number;
  /** Inputs in one run of the property, for the count that is told. @default 1 */
  readonly inputsPerRun?: number;
}

/** So many runs are one assertion: fast-check keeps something of each until its assertion is over. */
const runsAtOnce = 25_000;

export function runsOf({ commit, nightly }: FuzzRuns): number {
  return isNightly ? nightly : commit;
}

/**
 * Checks a property at the size that was asked for, and tells how to do it again.
 * @throws Error of fast-check, with the shortest input that it found and its seed
 */
export async function assertFuzzed<T>(name: string, property: fc.IAsyncProperty<T>, runs: FuzzRuns): Promise<void> {
  const count = runsOf(runs);
  const startedAt = performance.now();
  for (let done = 0, part = 0; done < count; done += runsAtOnce, part++) {
    // An input that takes long to answer takes long to shrink: what was found so far is told after this time.
    const options = { seed: fuzzSeed + part, numRuns: Math.min(runsAtOnce, count - done), verbose: 0 as const };
    await fc.assert(property, { ...options, ...(!isNightly && { interruptAfterTimeLimit: fuzzTimeoutMs - 15_000 }) });
  }
  tellFuzzed(name, count * (runs.inputsPerRun ?? 1), startedAt);
}

/** At nightly size: what was done, how long it took, and the seed that does it again. */
export function tellFuzzed(name: string, inputs: number, startedAt: number): void {
  if (!isNightly) return;
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`${name}: ${inputs} inputs in ${seconds.toFixed(1)} s, FUZZ_SEED=${fuzzSeed}`);
}
