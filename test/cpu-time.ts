/**
 * The CPU milliseconds that this process has used. For work that waits for nothing: unlike elapsed time, the difference
 * hardly depends on what else the machine does. It counts the collector's and the compiler's threads too.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
