import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import type { JsonSchema } from "../../../schema/json-schema.ts";
import { modernise, setReferences } from "../../../schema/modern.ts";
import { subschemas } from "../../../schema/walk.ts";
import { keepKeywords, Unplaceable } from "./keywords.ts";

export function refTo(schema: string): { $ref: string } {
  return { $ref: `#/components/schemas/${schema}` };
}

/**
 * A tool's schema as components in 2020-12, the draft of OpenAPI 3.1. The targets of its references become components:
 * inside the document `#` has another root, and generators misread `$defs` or ignore it.
 */
export function placeSchema(name: string, source: JsonSchema): Record<string, JsonSchema> {
  // JSON Schema's `true` and `false` may be components as they are.
  if (typeof source === "boolean") return { [name]: source };
  try {
    return toComponents(name, source);
  } catch (error) {
    const reason = error instanceof RangeError ? "the schema is nested too deeply" : undefined;
    if (reason === undefined && !(error instanceof Unplaceable)) throw error;
    const description = `Any value is accepted here, because this document cannot contain the tool's schema: ${reason ?? (error as Unplaceable).message}. GET /tools returns the schema.`;
    return { [name]: source["type"] === "object" ? { type: "object", description } : { description } };
  }
}

function toComponents(name: string, source: JsonObject): Record<string, JsonSchema> {
  const modern = modernise(source);
  if (modern.unresolved.length > 0) throw new Unplaceable("the schema refers to another schema, which is not here");
  const componentOf = (definition: string): string => (definition === modern.rootName ? name : `${name}_${definition}`);
  const components: Record<string, JsonSchema> = { [name]: modern.root };
  for (const [definition, schema] of modern.definitions) {
    if (definition !== modern.rootName) components[componentOf(definition)] = schema;
  }
  for (const component of Object.values(components)) {
    if (isJsonObject(component)) setReferences(component, (definition) => refTo(componentOf(definition)).$ref);
    keepAll(component);
  }
  return components;
}

function keepAll(schema: JsonSchema): void {
  const nodes = [schema];
  // The list grows during the loop.
  for (const node of nodes) {
    if (!isJsonObject(node)) continue;
    keepKeywords(node);
    for (const child of subschemas(node)) nodes.push(child.schema);
  }
}
