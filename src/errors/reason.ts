const maxReasonLength = 2000;

/**
 * The message of what a stranger's code threw. Never throws, whatever the getters do.
 * @returns undefined where it is no error with a message in words
 */
export function reasonOf(thrown: unknown): string | undefined {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : undefined;
    return typeof message === "string" ? message.slice(0, maxReasonLength) : undefined;
  } catch {
    return undefined; // A proxy whose traps throw.
  }
}
