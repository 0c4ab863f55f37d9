import { entriesOf, isJsonObject, type JsonObject, listOf, setOwn } from "../../json/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { inlineRoot } from "../../schema/root.ts";
import { readDraft } from "../../schema/draft.ts";
import { subschemas } from "../../schema/walk.ts";
import { normalise } from "../schema/normal/normalise.ts";
import { lists, maps, single } from "../../schema/modern.ts";

/**
 * MCP takes any JSON Schema whose root is an object; clients that know one draft know 2020-12. Some, as those of the
 * TypeScript SDK, read each property as an object: `true` and `false` are written as one.
 */
export function keepSchema(source: JsonSchema): JsonObject {
  const schema = toDraft2020(source);
  const nodes = [schema];
  // The list grows on the way.
  for (const node of nodes) {
    for (const { schema: child, path, holder, key } of subschemas(node)) {
      if (typeof child === "object") nodes.push(child);
      else if (path.startsWith("/properties/")) holder[key] = asObject(child);
    }
  }
  return { ...schema, type: "object" };
}

/** Arguments have `properties`, which some clients miss where there are none. */
export function keepInputSchema(source: JsonSchema): JsonObject {
  const schema = keepSchema(inlineRoot(source));
  return isJsonObject(schema["properties"]) ? schema : { ...schema, properties: {} };
}

/**
 * A result's schema, where it has one: one that is no object travels as `{"result": …}`, in schema and value.
 * Source: modelcontextprotocol.io/specification, revision 2025-11-25, tools, "Output Schema".
 */
export function outputSchemaOf(response: JsonSchema | undefined): JsonObject | undefined {
  if (response === false) return wrap({ not: {} });
  if (!saysSomething(response)) return undefined;
  return response["type"] === "object" ? keepSchema(response) : wrap(response);
}

/** Whether a result travels as `{"result": …}`. Without a schema that says anything the value itself decides. */
export function wrapsResult(response: JsonSchema | undefined, result: unknown): boolean {
  return !isJsonObject(result) || (saysSomething(response) && response["type"] !== "object");
}

function saysSomething(response: JsonSchema | undefined): response is JsonObject {
  return isJsonObject(response) && Object.keys(response).length > 0;
}

function wrap(response: JsonObject): JsonObject {
  const { $schema, ...result } = toDraft2020(response);
  const hasOwnBase = typeof result["$id"] === "string";
  const nodes = hasOwnBase ? [] : [result];
  // The list grows on the way. References point from the root, which is elsewhere now; those inside an `$id` do not.
  for (const node of nodes) {
    for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const reference = node[keyword];
      if (reference === "#" || (typeof reference === "string" && reference.startsWith("#/"))) {
        node[keyword] = `#/properties/result${reference.slice(1)}`;
      }
    }
    for (const { schema } of subschemas(node)) {
      if (typeof schema === "object" && typeof schema["$id"] !== "string") nodes.push(schema);
    }
  }
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: { result },
    required: ["result"],
  };
}

/** A copy, in the words of 2020-12: as it is if it is of that draft, else written anew, each reference a pointer into `$defs`. */
function toDraft2020(source: JsonSchema): JsonObject {
  const object = typeof source === "boolean" ? asObject(source) : source;
  if (readDraft(object).draft.uri === latest) return JSON.parse(JSON.stringify(readDraft(object).schema)) as JsonObject;
  const { root, definitions } = normalise(object);
  const $defs: JsonObject = {};
  for (const [name, definition] of definitions) setOwn($defs, name, withPointers(definition));
  return { ...withPointers(root), ...(definitions.size > 0 && { $defs }) };
}

const latest = "https://json-schema.org/draft/2020-12/schema";

/** In normal form a reference is a definition's bare name. */
function withPointers(node: JsonObject): JsonObject {
  const written: JsonObject = {};
  for (const [keyword, value] of Object.entries(node)) {
    if (keyword === "$ref") written["$ref"] = `#/$defs/${String(value)}`;
    else if (single.has(keyword) && isJsonObject(value)) written[keyword] = withPointers(value);
    else if (lists.has(keyword)) written[keyword] = listOf(value).map(withPointers);
    else setOwn(written, keyword, maps.has(keyword) ? mapOf(value) : value);
  }
  return written;
}

function mapOf(value: unknown): JsonObject {
  const written: JsonObject = {};
  for (const [key, member] of entriesOf(value)) setOwn(written, key, withPointers(member));
  return written;
}

function asObject(schema: boolean): JsonObject {
  return schema ? {} : { not: {} };
}
