/** Whether a provider sent a value: null and "" count as absent. */
export function isPresent(value: unknown): boolean {
  return value != null && value !== "";
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
