import { isJsonObject, type JsonObject } from "../json/object.ts";
import { pointerToken } from "../json/pointer.ts";
import type { JsonSchema } from "./json-schema.ts";
import { subschemaKeywords } from "./keywords.ts";

const { one, list, map } = subschemaKeywords;

export interface Subschema {
  readonly schema: JsonSchema;
  /** JSON Pointer from the schema that contains it. */
  readonly path: string;
  readonly keyword: string;
  /** The object that contains it, to replace it: `holder[key] = …`. */
  readonly holder: JsonObject;
  readonly key: string;
}

/**
 * The schemas directly inside a schema, by keyword, without values in `enum` or `default` that only look like schemas.
 */
export function* subschemas(schema: JsonObject): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema)) {
    const path = pointerToken(keyword);
    if (one.has(keyword) && isSchema(value)) yield { schema: value, path, keyword, holder: schema, key: keyword };
    const nested = (list.has(keyword) && Array.isArray(value)) || (map.has(keyword) && isJsonObject(value));
    if (!nested) continue;
    const holder = value as JsonObject;
    for (const [key, member] of Object.entries(holder)) {
      if (isSchema(member)) yield { schema: member, path: path + pointerToken(key), keyword, holder, key };
    }
  }
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "boolean" || isJsonObject(value);
}
