/** A count of tokens as a provider wrote it; 0 where it is none. */
export function tokens(count: unknown): number {
  return typeof count === "number" && count >= 0 && count < Infinity ? count : 0;
}
