import { entriesOf, getOwn, isJsonObject, type JsonObject, listOf, setOwn } from "../../../json/object.ts";
import { areDisjoint } from "./disjoint.ts";
import { acceptsNull } from "../../restore/nulls.ts";
import { typesOf } from "./types.ts";
import type { Place, Writer } from "./writer.ts";

/** Strict objects accept only what they declare, and every value has a type. */
export function closeObject(node: JsonObject, place: Place, { shape, lose, refuse }: Writer): JsonObject {
  if (!shape.strict || Array.isArray(node["anyOf"])) return node;
  const types = typesOf(node);
  if (types === undefined) return refuse(place, "a value may be of any type");
  if (!types.includes("object")) return node;
  const more = node["additionalProperties"];
  if (more !== undefined && more !== false) refuse(place, "an object accepts properties that it does not define");
  const properties = entriesOf(node["properties"]);
  if (more === undefined && properties.length === 0 && !place.isRoot) refuse(place, "an object accepts any properties");
  const names = new Set(properties.map(([key]) => key));
  if (listOf<string>(node["required"]).some((key) => !names.has(key))) {
    refuse(place, "an object requires a property that it does not define");
  }
  if (more === undefined) lose(place.path, "narrowed", "Only the properties that the schema defines can be given.");
  return { properties: {}, ...node, additionalProperties: false };
}

/** Optional properties become required, with null for absence. */
export function requireAll(
  node: JsonObject,
  written: JsonObject,
  place: Place,
  { modern, lose, pathOf, refuse }: Writer,
): void {
  const properties = written["properties"];
  if (!isJsonObject(properties)) return;
  const required = new Set(listOf<string>(node["required"]));
  for (const [key, schema] of entriesOf(node["properties"])) {
    if (required.has(key)) continue;
    const isNullable = acceptsNull(schema, modern.definitions);
    if (isNullable === undefined) refuse(place, "it refers to itself without end");
    if (isNullable) lose(pathOf(schema) ?? place.path, "narrowed", "It cannot be left out. It can be null.");
    else setOwn(properties, key, orNull(properties[key] as JsonObject));
  }
  written["required"] = Object.keys(properties);
}

function orNull(written: JsonObject): JsonObject {
  const { description, ...schema } = written;
  const described = { ...(description !== undefined && { description }) };
  if (Array.isArray(schema["anyOf"]))
    return { ...schema, ...described, anyOf: [...listOf(schema["anyOf"]), { type: "null" }] };
  const { type } = schema;
  if (type === undefined || "const" in schema) return { ...described, anyOf: [schema, { type: "null" }] };
  const values = Array.isArray(schema["enum"]) && { enum: withNull(schema["enum"]) };
  // OpenAI refuses a type that is listed twice.
  return { ...schema, ...described, type: withNull([type].flat(), "null"), ...values };
}

function withNull(list: readonly unknown[], own: "null" | null = null): unknown[] {
  return [...new Set([...list, own])];
}

/** In all branches, null must mean the same for a property, absence or null: otherwise it is ambiguous. */
export function checkNullsOfBranches(branches: readonly JsonObject[], place: Place, writer: Writer): void {
  const { definitions } = writer.modern;
  if (areDisjoint(branches, definitions)) return;
  const objects = objectsIn(branches, place, writer, new Set());
  const keys = new Set(objects.flatMap((node) => entriesOf(node["properties"]).map(([key]) => key)));
  for (const key of keys) {
    const meanings = new Set(objects.map((node) => meaningOfNull(node, key, definitions)));
    if (meanings.has("absent") && meanings.has("null"))
      writer.refuse(place, "null could mean a missing property or the value null");
  }
}

/** @param known alternatives that were already read: definitions reach the same ones by many paths, and in cycles */
function objectsIn(
  branches: readonly JsonObject[],
  place: Place,
  writer: Writer,
  known: Set<readonly JsonObject[]>,
): JsonObject[] {
  if (known.has(branches)) return [];
  known.add(branches);
  return branches.flatMap((branch) => {
    const { node } = writer.settle(branch, place, true);
    if (Array.isArray(node["anyOf"])) return objectsIn(listOf(node["anyOf"]), place, writer, known);
    return typesOf(node)?.includes("object") === false ? [] : [node];
  });
}

function meaningOfNull(
  node: JsonObject,
  key: string,
  definitions: ReadonlyMap<string, JsonObject>,
): "absent" | "null" | "none" {
  const schema = getOwn(Object(node["properties"]) as JsonObject, key);
  if (schema === undefined) return node["additionalProperties"] === false ? "none" : "null";
  const isRequired = listOf<string>(node["required"]).includes(key);
  return !isRequired && acceptsNull(schema, definitions) === false ? "absent" : "null";
}
