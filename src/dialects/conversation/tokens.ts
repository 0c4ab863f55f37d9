/** A token count as a provider sent it; 0 if it is not a count. */
export function tokens(count: unknown): number {
  return typeof count === "number" && count >= 0 && count < Infinity ? count : 0;
}
