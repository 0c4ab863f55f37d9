/** Process groups of servers that may be alive. */
const groups = new Set<number>();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Ends a server's process group at the latest when this process ends: by exit, by an error that nobody caught, or by a signal that
 * nobody handles. A `kill -9` runs no code; then the server's stdin is closed.
 */
export function keepGroup(leader: number): void {
  if (groups.size === 0) {
    process.on("exit", killAll);
    for (const signal of signals) process.on(signal, endUnhandled);
  }
  groups.add(leader);
}

/** Ends what is left of a group whose leader has ended. */
export function releaseGroup(leader: number): void {
  if (!groups.delete(leader)) return;
  killGroup(leader, "SIGKILL");
  if (groups.size > 0) return;
  process.off("exit", killAll);
  for (const signal of signals) process.off(signal, endUnhandled);
}

export function killGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // Nothing of it is left.
  }
}

function killAll(): void {
  for (const leader of groups) killGroup(leader, "SIGKILL");
}

/** A listener takes the place of what a signal does by default: if nobody else handles it, this process must end by it. */
function endUnhandled(signal: NodeJS.Signals): void {
  if (process.listeners(signal).some((listener) => listener !== endUnhandled)) return;
  killAll();
  process.off(signal, endUnhandled);
  process.kill(process.pid, signal);
}
