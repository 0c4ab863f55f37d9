import { isJsonObject, pointerToken } from "./json.ts";
import type { JsonObject, JsonSchema } from "./json-schema.ts";

// Where JSON Schema keeps schemas inside a schema, over all drafts from 04 to 2020-12.
const single = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const lists = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const maps = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]);

export interface Subschema {
  readonly schema: JsonSchema;
  /** JSON Pointer from the schema that holds it. */
  readonly path: string;
  /** What to assign to in order to replace it: `holder[key] = …`. */
  readonly holder: JsonObject;
  readonly key: string;
}

/** The schemas directly inside a schema, by keyword. What merely looks like one, in `enum` or `default`, is not given. */
export function* subschemas(schema: JsonObject): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema)) {
    const path = pointerToken(keyword);
    if (single.has(keyword) && isSchema(value)) yield { schema: value, path, holder: schema, key: keyword };
    const nested = (lists.has(keyword) && Array.isArray(value)) || (maps.has(keyword) && isJsonObject(value));
    if (!nested) continue;
    const holder = value as JsonObject;
    for (const [key, member] of Object.entries(holder)) {
      if (isSchema(member)) yield { schema: member, path: path + pointerToken(key), holder, key };
    }
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "boolean" || isJsonObject(value);
}
