import { isJsonObject, type JsonObject } from "../../json/object.ts";

/**
 * Distinguishes what an accumulator created from what it received: the first may be modified, however large it grows;
 * the second is copied once.
 */
export interface Own {
  /** @returns the object itself if it was created here, otherwise a copy; an empty one if it is not an object */
  object(value: unknown): JsonObject;
  /** @returns the list itself if it was created here, otherwise a copy; an empty one if it is not a list */
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
