export type JsonObject = { [key: string]: unknown };

/** An object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A member of an object that was parsed from JSON; undefined if the member is inherited, or the value is not an object.
 */
export function ownMember(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Assigns so that `__proto__` is an ordinary key. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}

/** The entries of an object that was parsed from JSON, without `__proto__`: assigning it would set the prototype. */
export function safeEntries(object: JsonObject): [string, unknown][] {
  return Object.hasOwn(object, "__proto__")
    ? Object.entries(object).filter(([key]) => key !== "__proto__")
    : Object.entries(object);
}

/** The value of an own key, whatever `Object.prototype` contains. */
export function getOwn(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function omit(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** The entries of a map of schemas; empty if it is not a map. */
export function entriesOf(map: unknown): [string, JsonObject][] {
  return typeof map === "object" && map !== null ? (Object.entries(map) as [string, JsonObject][]) : [];
}

/** The members of a list of schemas; empty if it is not a list. */
export function listOf<Member = JsonObject>(list: unknown): readonly Member[] {
  return Array.isArray(list) ? (list as Member[]) : [];
}
