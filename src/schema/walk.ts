import { isJsonObject, type JsonObject } from "../json/object.ts";
import { pointerToken, resolveFragment } from "../json/pointer.ts";
import type { JsonSchema } from "./json-schema.ts";

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

/**
 * Every schema in a schema, each once. A reference may lead to where JSON Schema keeps none; what stands there is one
 * then, and may refer on.
 */
export function* reachableSchemas(root: JsonObject): Generator<Reached> {
  const known = new Set<unknown>([root]);
  const reached: Reached[] = [{ node: root, path: "", depth: 0 }];
  const references: string[] = [];
  const reach = (node: unknown, path: string, depth: number): void => {
    if (!isJsonObject(node) || known.has(node)) return;
    known.add(node);
    reached.push({ node, path, depth });
  };
  // Both lists grow on the way.
  for (let index = 0; index < reached.length; index++) {
    const { node, path, depth } = reached[index]!;
    yield { node, path, depth };
    if (typeof node["$ref"] === "string") references.push(node["$ref"]);
    for (const child of subschemas(node)) reach(child.schema, path + child.path, depth + 1);
    // Last, so that what stands in place is known by its place.
    if (index < reached.length - 1) continue;
    for (const reference of references.splice(0)) reach(resolveFragment(root, reference), reference.slice(1), 0);
  }
}

interface Reached {
  readonly node: JsonObject;
  /** JSON Pointer from the root. */
  readonly path: string;
  readonly depth: number;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "boolean" || isJsonObject(value);
}
