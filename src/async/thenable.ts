/** Whether a value must be awaited. Never throws, whatever its getters do. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== "object" && typeof value !== "function") return false;
  try {
    return value !== null && "then" in value && typeof value.then === "function";
  } catch {
    return false; // Its getter throws: the check of the result reports it.
  }
}
