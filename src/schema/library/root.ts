import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { readDocument, type SchemaDocument } from "../resolve.ts";

/** Whether every value that a schema accepts is an object, as its `type`, its alternatives or its reference say. */
export function acceptsObjectsOnly(root: JsonObject, schema: unknown): boolean {
  let document: SchemaDocument | undefined;
  return acceptsObjects(schema, new Set());

  function acceptsObjects(node: unknown, visited: ReadonlySet<unknown>): boolean {
    if (!isJsonObject(node) || visited.has(node)) return false;
    if ("type" in node) return node["type"] === "object";
    const seen = new Set(visited).add(node);
    const isObject = (each: unknown): boolean => acceptsObjects(each, seen);
    const { $ref, anyOf, oneOf, allOf } = node;
    if (typeof $ref === "string") {
      document ??= readDocument(root);
      if (isObject(document.resolve($ref, node)?.node)) return true;
    }
    if (isFilled(anyOf) && anyOf.every(isObject)) return true;
    if (isFilled(oneOf) && oneOf.every(isObject)) return true;
    return isFilled(allOf) && allOf.some(isObject);
  }
}

function isFilled(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0;
}
