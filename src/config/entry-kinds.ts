import { inQuotes } from "../json/in-quotes.ts";
import { isJsonObject, type JsonObject } from "../json/object.ts";
import { readDocument } from "../schema/resolve.ts";

/**
 * The kinds of entries of `tools` that the schema of the file has: one for each kind of sources, files that list
 * sources, and workers. The key of its kind is the first required field of an entry.
 */
export interface EntryKinds {
  /** The schemas of the entries, by the key of the kind. References lead into the schema of the file. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /**
   * Keys of kinds that are not supported yet. Someone who copied one from elsewhere should not look for a typing error.
   */
  readonly planned: readonly string[];
  /**
   * Every schema that applies to the same value as this one: itself, the targets of its references, its alternatives.
   */
  readonly expand: (schema: unknown) => readonly JsonObject[];
}

export function entryKindsOf(fileSchema: JsonObject): EntryKinds {
  const { resolve } = readDocument(fileSchema);
  const expand = (schema: unknown): JsonObject[] => {
    if (!isJsonObject(schema)) return [];
    const { $ref, allOf, anyOf, oneOf } = schema;
    const target = typeof $ref === "string" ? resolve($ref, schema)?.node : undefined;
    return [schema, ...expand(target), ...[allOf, anyOf, oneOf].flatMap(listOf).flatMap(expand)];
  };
  const items = itemsOf(fileSchema);
  const schemas = new Map<string, JsonObject>();
  for (const branch of listOf(items["oneOf"])) {
    const schema = expand(branch).find(({ required }) => Array.isArray(required));
    const [key] = listOf(schema?.["required"]);
    if (schema !== undefined && typeof key === "string") schemas.set(key, schema);
  }
  return { schemas, planned: listOf(items["plannedKinds"]).map(String), expand };
}

/**
 * The schema of the file for its reader. An entry is checked as the kind whose key it has. `oneOf`, which editors
 * understand, would report the faults of all kinds.
 */
export function withEntriesByKind(fileSchema: JsonObject, { schemas }: EntryKinds): JsonObject {
  const { oneOf: _, ...items } = itemsOf(fileSchema);
  const byKind = {
    ...items,
    type: "object",
    dependentSchemas: Object.fromEntries(schemas),
    errorMessage: `must be an object with ${keysAsWords(schemas)}`,
  };
  const properties = fileSchema["properties"] as JsonObject;
  return { ...fileSchema, properties: { ...properties, tools: { ...(properties["tools"] as object), items: byKind } } };
}

/** The keys of the kinds, to follow "use" or "an object with". */
export function keysAsWords(schemas: EntryKinds["schemas"]): string {
  const keys = [...schemas.keys()];
  return `${keys.length === 1 ? "the key" : "one of the keys"} ${inQuotes(keys)}`;
}

function itemsOf(fileSchema: JsonObject): JsonObject {
  const tools = (fileSchema["properties"] as JsonObject)["tools"] as JsonObject;
  return tools["items"] as JsonObject;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
