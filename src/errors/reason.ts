const maxReasonLength = 2000;

/**
 * The message of an error that foreign code threw. Never throws, whatever the getters
 * do. @returns undefined if it is not an error with a message
 */
export function reasonOf(thrown: unknown): string | undefined {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : undefined;
    return typeof message === "string" ? message.slice(0, maxReasonLength) : undefined;
  } catch {
    return undefined; // A proxy whose traps throw.
  }
}
