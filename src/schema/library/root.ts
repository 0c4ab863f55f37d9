import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { resolveFragment } from "../../json/pointer.ts";

/** Whether every value that a schema accepts is an object, as its `type`, its alternatives or its reference say. */
export function acceptsObjectsOnly(
  root: JsonObject,
  schema: unknown,
  visited: ReadonlySet<unknown> = new Set(),
): boolean {
  if (!isJsonObject(schema) || visited.has(schema)) return false;
  if ("type" in schema) return schema["type"] === "object";
  const seen = new Set(visited).add(schema);
  const isObject = (each: unknown): boolean => acceptsObjectsOnly(root, each, seen);
  const { $ref, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === "string" && isObject(resolveFragment(root, $ref))) return true;
  if (isFilled(anyOf) && anyOf.every(isObject)) return true;
  if (isFilled(oneOf) && oneOf.every(isObject)) return true;
  return isFilled(allOf) && allOf.some(isObject);
}

function isFilled(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0;
}
