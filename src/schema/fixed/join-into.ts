import { isJsonObject, type JsonObject, listOf } from "../../json/object.ts";

/** Keywords whose meaning does not depend on other keywords. */
const independent = new Set(
  "anyOf const dependentRequired dependentSchemas enum maxProperties minProperties not oneOf propertyNames required".split(
    " ",
  ),
);

/**
 * Merges a schema that must match too into another one, if the meaning stays the same. @returns whether it was merged
 */
export function joinInto(written: JsonObject, node: JsonObject): boolean {
  const { properties = {}, required = [], ...rest } = node;
  const own = isJsonObject(written["properties"]) ? written["properties"] : {};
  const names = Object.keys(properties as JsonObject);
  const isClosed =
    names.length > 0 && ["additionalProperties", "unevaluatedProperties"].some((keyword) => keyword in written);
  const isApart = Object.keys(rest).every((keyword) => independent.has(keyword) && !Object.hasOwn(written, keyword));
  if (isClosed || !isApart || names.some((name) => Object.hasOwn(own, name))) return false;
  Object.assign(written, rest);
  if (names.length > 0)
    written["properties"] = Object.fromEntries([...Object.entries(own), ...Object.entries(properties as JsonObject)]);
  const all = new Set([...listOf<string>(written["required"]), ...listOf<string>(required)]);
  if (all.size > 0) written["required"] = [...all];
  return true;
}

export function isEmpty(node: JsonObject): boolean {
  return Object.keys(node).length === 0;
}
