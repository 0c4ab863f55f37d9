import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";

/** The value itself; an empty object where it is none. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list; none where it is no list. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** The value itself; undefined if it is no list. */
export function listOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}
