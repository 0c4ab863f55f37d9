import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, listOf } from "../../../src/json/object.ts";
import type { JsonSchema } from "../../../src/schema/json-schema.ts";

/** What the keywords of a schema evaluated in a valid value. */
export interface Evaluated {
  readonly names: ReadonlySet<string>;
  /** The number of items, counted from the first. */
  readonly items: number;
}

const nothing: Evaluated = { names: new Set(), items: 0 };

/**
 * The part of JSON Schema 2020-12 that `unevaluated…` depends on, written from the specification (core, sections 10 and
 * 11) and without ajv. @param $defs the definitions that `#/$defs/…` refers to @returns undefined if the value is not valid
 */
export function evaluate(schema: JsonSchema, value: unknown, $defs: JsonObject): Evaluated | undefined {
  if (typeof schema === "boolean") return schema ? nothing : undefined;
  if (schema["type"] !== undefined && typeOf(value) !== schema["type"]) return undefined;
  if (Object.hasOwn(schema, "const") && !isDeepStrictEqual(schema["const"], value)) return undefined;
  const inPlace = evaluateInPlace(schema, value, $defs);
  if (inPlace === undefined) return undefined;
  if (isJsonObject(value)) return evaluateObject(schema, value, inPlace, $defs);
  return Array.isArray(value) ? evaluateArray(schema, value, inPlace, $defs) : inPlace;
}

function evaluateInPlace(schema: JsonObject, value: unknown, $defs: JsonObject): Evaluated | undefined {
  const apply = (each: unknown): Evaluated | undefined => evaluate(each as JsonSchema, value, $defs);
  const found: (Evaluated | undefined)[] = [];
  const reference = schema["$ref"];
  if (typeof reference === "string") found.push(apply($defs[reference.replace("#/$defs/", "")]));
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
  $defs: JsonObject,
): Evaluated | undefined {
  if (listOf<string>(schema["required"]).some((name) => !Object.hasOwn(value, name))) return undefined;
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
    if (asked.some((each) => evaluate(each as JsonSchema, member, $defs) === undefined)) return undefined;
  }
  return join([inPlace, { names: own, items: 0 }]);
}

function evaluateArray(
  schema: JsonObject,
  value: readonly unknown[],
  inPlace: Evaluated,
  $defs: JsonObject,
): Evaluated | undefined {
  const first = listOf<JsonSchema>(schema["prefixItems"]);
  const rest = schema["items"] as JsonSchema | undefined;
  const own = Math.min(rest === undefined ? first.length : value.length, value.length);
  const evaluated = Math.max(own, inPlace.items);
  const unevaluated = schema["unevaluatedItems"] as JsonSchema | undefined;
  const isValid = value.every((item, index) => {
    const asked = first[index] ?? rest ?? (index < evaluated ? true : (unevaluated ?? true));
    return evaluate(asked, item, $defs) !== undefined;
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

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
