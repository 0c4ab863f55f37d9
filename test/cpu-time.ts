/**
 * The CPU milliseconds that this process has used. For work that waits for nothing: unlike elapsed time, the difference
 * hardly depends on what else the machine does. It counts the collector's and the compiler's threads too.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The least CPU milliseconds of three runs: the first one compiles. Ratios of two such times belong in `*.slow.test.ts`. */
export function leastCpuMs(work: () => unknown): number {
  const taken = [1, 2, 3].map(() => {
    const before = cpuMs();
    work();
    return cpuMs() - before;
  });
  return Math.min(...taken);
}
