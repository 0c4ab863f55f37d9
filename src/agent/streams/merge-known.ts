import type { JsonObject } from "../../core/json-schema.ts";

/** The later value wins, but a null says nothing where something is known. */
export function mergeKnown(earlier: JsonObject, later: JsonObject): JsonObject {
  const known = Object.entries(later).filter(([key, value]) => value != null || !Object.hasOwn(earlier, key));
  return { ...earlier, ...Object.fromEntries(known) };
}
