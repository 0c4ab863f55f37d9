import { isJsonObject } from "../../core/json.ts";
import type { JsonObject, JsonSchema } from "../../core/json-schema.ts";
import { subschemas } from "../../core/schema-walk.ts";

/**
 * MCP takes any JSON Schema, of the draft that its `$schema` names, whose root is an object. Its clients, as the
 * TypeScript SDK's, read each property as an object: `true` and `false` are written as one.
 */
export function keepSchema(source: JsonSchema): JsonObject {
  const schema = JSON.parse(JSON.stringify(typeof source === "boolean" ? asObject(source) : source)) as JsonObject;
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
  const schema = keepSchema(source);
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
  const { $schema, ...result } = JSON.parse(JSON.stringify(response)) as JsonObject;
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

function asObject(schema: boolean): JsonObject {
  return schema ? {} : { not: {} };
}
