/** A value as the text that it is in a request: a text as it is, anything else as in JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Null is undefined in a request that is not JSON, and is left out (RFC 6570, section 2.3). */
export function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** The members of an object that are not null. */
export function presentEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => isPresent(member));
}
