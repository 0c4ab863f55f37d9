import { entriesOf, isJsonObject, type JsonObject, listOf } from "../../json/object.ts";
import { subschemas } from "../../schema/walk.ts";

/** The share of a strict schema in the limits for a whole request. */
export interface StrictCost {
  /** Number of optional properties, at any depth. */
  readonly optional: number;
  /** Number of properties with more than one type, at any depth. */
  readonly unions: number;
}

export function costOf(schema: JsonObject): StrictCost {
  let [optional, unions] = [0, 0];
  for (const { node } of schemasIn(schema)) {
    const required = new Set(listOf<string>(node["required"]));
    for (const [key, property] of entriesOf(node["properties"])) {
      if (!required.has(key)) optional++;
      if (Array.isArray(property["anyOf"]) || Array.isArray(property["type"])) unions++;
    }
  }
  return { optional, unions };
}

/** Every schema inside, with the number of objects and arrays around it. */
export function schemasIn(root: JsonObject): { node: JsonObject; levels: number }[] {
  const found = [{ node: root, levels: 1 }];
  // The list grows during the loop.
  for (const { node, levels } of found) {
    for (const { schema, path } of subschemas(node)) {
      const isDeeper = path.startsWith("/properties/") || path === "/items";
      if (isJsonObject(schema)) found.push({ node: schema, levels: levels + (isDeeper ? 1 : 0) });
    }
  }
  return found;
}
