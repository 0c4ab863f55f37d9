import { isJsonObject, type JsonObject } from "../../json/object.ts";

/**
 * Tells what an accumulator made itself from what it was given: the first may be changed, however large it grows, the
 * second is copied once.
 */
export interface Own {
  /** @returns the object itself where it was made here, else a copy; an empty one of what is none */
  object(value: unknown): JsonObject;
  /** @returns the list itself where it was made here, else a copy; an empty one of what is none */
  list(value: unknown): unknown[];
}

export function createOwn(): Own {
  const made = new WeakSet<object>();
  return {
    object(value) {
      if (isJsonObject(value) && made.has(value)) return value;
      const copy = isJsonObject(value) ? { ...value } : {};
      made.add(copy);
      return copy;
    },
    list(value) {
      const given: unknown[] = Array.isArray(value) ? value : [];
      if (made.has(given)) return given;
      const copy = [...given];
      made.add(copy);
      return copy;
    },
  };
}
