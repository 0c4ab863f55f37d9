/** Whether a provider says something with a value: null and "" say nothing. */
export function isPresent(value: unknown): boolean {
  return value != null && value !== "";
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
