import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, listOf } from "../../src/json/object.ts";
import { valueAt } from "../../src/json/pointer.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";

/** What the keywords of a schema evaluated in a valid value. */
export interface Evaluated {
  readonly names: ReadonlySet<string>;
  /** The number of items, counted from the first. */
  readonly items: number;
}

const nothing: Evaluated = { names: new Set(), items: 0 };

/**
 * JSON Schema 2020-12 for small schemas, written from the specification and without ajv: every keyword about objects and
 * about what is evaluated, and some for other values.
 * @param root the document, whose `$ref` are JSON Pointers, or `#base` for an anchor of that name in `$defs`
 * @returns undefined if the value is not valid
 */
export function evaluate(schema: JsonSchema, value: unknown, root: JsonObject): Evaluated | undefined {
  if (typeof schema === "boolean") return schema ? nothing : undefined;
  if (!isAllowed(schema, value)) return undefined;
  const inPlace = evaluateInPlace(schema, value, root);
  if (inPlace === undefined) return undefined;
  if (isJsonObject(value)) return evaluateObject(schema, value, inPlace, root);
  return Array.isArray(value) ? evaluateArray(schema, value, inPlace, root) : inPlace;
}

/** The keywords that apply no other schema. */
function isAllowed(schema: JsonObject, value: unknown): boolean {
  const types = [schema["type"] ?? []].flat();
  if (types.length > 0 && !typesOf(value).some((type) => types.includes(type))) return false;
  if (Object.hasOwn(schema, "const") && !isDeepStrictEqual(schema["const"], value)) return false;
  const { enum: listed } = schema;
  if (listed !== undefined && !listOf(listed).some((each) => isDeepStrictEqual(each, value))) return false;
  if (typeof value === "string") {
    const { pattern } = schema;
    return (
      isWithin(schema, "Length", value.length) && (typeof pattern !== "string" || new RegExp(pattern, "u").test(value))
    );
  }
  if (!isJsonObject(value)) return true;
  const has = (name: string): boolean => Object.hasOwn(value, name);
  const needs = Object.entries((schema["dependentRequired"] ?? {}) as Record<string, readonly string[]>);
  return (
    isWithin(schema, "Properties", Object.keys(value).length) &&
    listOf<string>(schema["required"]).every(has) &&
    needs.every(([name, needed]) => !has(name) || needed.every(has))
  );
}

function isWithin(schema: JsonObject, what: string, count: number): boolean {
  const { [`min${what}`]: min = 0, [`max${what}`]: max = Infinity } = schema;
  return count >= Number(min) && count <= Number(max);
}

function targetOf(reference: string, root: JsonObject): JsonSchema {
  const pointer = reference === "#base" ? "/$defs/base" : reference.slice(1);
  return valueAt(root, pointer) as JsonSchema;
}

function evaluateInPlace(schema: JsonObject, value: unknown, root: JsonObject): Evaluated | undefined {
  const apply = (each: unknown): Evaluated | undefined => evaluate(each as JsonSchema, value, root);
  const found: (Evaluated | undefined)[] = [];
  const reference = schema["$ref"];
  if (typeof reference === "string") found.push(apply(targetOf(reference, root)));
  found.push(...listOf<JsonSchema>(schema["allOf"]).map(apply));
  for (const keyword of ["anyOf", "oneOf"]) {
    if (schema[keyword] === undefined) continue;
    const valid = listOf<JsonSchema>(schema[keyword])
      .map(apply)
      .filter((branch) => branch !== undefined);
    if (valid.length === 0 || (keyword === "oneOf" && valid.length > 1)) return undefined;
    found.push(...valid);
  }
  if (schema["not"] !== undefined && apply(schema["not"]) !== undefined) return undefined;
  if (schema["if"] !== undefined) {
    const condition = apply(schema["if"]);
    const branch = schema[condition === undefined ? "else" : "then"];
    found.push(condition ?? nothing, branch === undefined ? nothing : apply(branch));
  }
  if (isJsonObject(value)) {
    for (const [name, dependent] of Object.entries((schema["dependentSchemas"] ?? {}) as JsonObject)) {
      if (Object.hasOwn(value, name)) found.push(apply(dependent));
    }
  }
  return join(found);
}

function evaluateObject(
  schema: JsonObject,
  value: JsonObject,
  inPlace: Evaluated,
  root: JsonObject,
): Evaluated | undefined {
  const namesSchema = (schema["propertyNames"] ?? true) as JsonSchema;
  if (Object.keys(value).some((name) => evaluate(namesSchema, name, root) === undefined)) return undefined;
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const patterns = Object.entries((schema["patternProperties"] ?? {}) as JsonObject);
  const own = new Set<string>();
  for (const [name, member] of Object.entries(value)) {
    const asked = patterns.filter(([pattern]) => new RegExp(pattern, "u").test(name)).map(([, each]) => each);
    if (Object.hasOwn(properties, name)) asked.push(properties[name]);
    if (asked.length === 0 && schema["additionalProperties"] !== undefined) asked.push(schema["additionalProperties"]);
    if (asked.length > 0) own.add(name);
    if (asked.length === 0 && !inPlace.names.has(name) && schema["unevaluatedProperties"] !== undefined) {
      asked.push(schema["unevaluatedProperties"]);
      own.add(name);
    }
    if (asked.some((each) => evaluate(each as JsonSchema, member, root) === undefined)) return undefined;
  }
  return join([inPlace, { names: own, items: 0 }]);
}

function evaluateArray(
  schema: JsonObject,
  value: readonly unknown[],
  inPlace: Evaluated,
  root: JsonObject,
): Evaluated | undefined {
  const first = listOf<JsonSchema>(schema["prefixItems"]);
  const rest = schema["items"] as JsonSchema | undefined;
  const own = Math.min(rest === undefined ? first.length : value.length, value.length);
  const evaluated = Math.max(own, inPlace.items);
  const unevaluated = schema["unevaluatedItems"] as JsonSchema | undefined;
  const isValid = value.every((item, index) => {
    const asked = first[index] ?? rest ?? (index < evaluated ? true : (unevaluated ?? true));
    return evaluate(asked, item, root) !== undefined;
  });
  if (!isValid) return undefined;
  return { names: inPlace.names, items: unevaluated === undefined ? evaluated : value.length };
}

function join(found: readonly (Evaluated | undefined)[]): Evaluated | undefined {
  const names = new Set<string>();
  let items = 0;
  for (const each of found) {
    if (each === undefined) return undefined;
    for (const name of each.names) names.add(name);
    items = Math.max(items, each.items);
  }
  return { names, items };
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return Number.isInteger(value) ? ["integer", "number"] : [typeof value];
}
