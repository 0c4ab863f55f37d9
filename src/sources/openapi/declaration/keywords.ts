import { isJsonObject, type JsonObject, safeEntries, setOwn } from "../../../json/object.ts";
import { untrustedBounds } from "../../../schema/untrusted/bounds.ts";
import { UnsupportedPattern } from "../../../schema/untrusted/ecma-to-re2.ts";
import { createLinearPattern } from "../../../schema/untrusted/linear-pattern.ts";

type Kind =
  | "schema"
  | "schemas"
  | "map"
  | "count"
  | "number"
  | "text"
  | "flag"
  | "names"
  | "values"
  | "any"
  | "bound"
  | "dependents";

/** The keywords that are kept, by the kind of their value. A value of another kind is left out. */
const kinds: Readonly<Record<string, Kind>> = {
  ...ofKind("schema", "not if then else contains propertyNames unevaluatedItems unevaluatedProperties items"),
  ...ofKind("schema", "additionalProperties"),
  ...ofKind("schemas", "allOf anyOf oneOf prefixItems"),
  ...ofKind("map", "properties patternProperties dependentSchemas"),
  ...ofKind("count", "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains"),
  ...ofKind("number", "multipleOf"),
  ...ofKind("bound", "minimum maximum exclusiveMinimum exclusiveMaximum"),
  ...ofKind("text", "title description format pattern contentEncoding contentMediaType"),
  ...ofKind("flag", "uniqueItems deprecated readOnly writeOnly"),
  ...ofKind("names", "required"),
  ...ofKind("dependents", "dependentRequired"),
  ...ofKind("values", "enum"),
  ...ofKind("any", "const default"),
};

function ofKind(kind: Kind, names: string): Record<string, Kind> {
  return Object.fromEntries(names.split(" ").map((name) => [name, kind]));
}

export function isKeyword(name: string): boolean {
  return Object.hasOwn(kinds, name);
}

/**
 * The value of a keyword as JSON Schema 2020-12 has it; undefined if the keyword is left out.
 * @param onDropped gets a pattern that is left out, with the reason
 */
export function writeKeyword(
  name: string,
  value: unknown,
  schema: JsonObject,
  convert: (schema: unknown) => JsonObject | boolean,
  onDropped: (pattern: string, reason: string) => void,
): unknown {
  switch (kinds[name]) {
    case "schema":
      return isJsonObject(value) || typeof value === "boolean" ? writeSchema(name, value, convert) : undefined;
    case "schemas":
      return Array.isArray(value) && value.length > 0 ? value.map(convert) : undefined;
    case "map":
      return isJsonObject(value) ? convertMap(name, value, convert, onDropped) : undefined;
    case "count":
      return Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined;
    case "number":
      return typeof value === "number" && value > 0 ? value : undefined;
    case "bound":
      return writeBound(name, value, schema);
    case "text":
      return typeof value === "string" && (name !== "pattern" || isLinearPattern(value, onDropped)) ? value : undefined;
    case "flag":
      return typeof value === "boolean" ? value : undefined;
    case "names":
      return Array.isArray(value) && value.length > 0 ? requiredNames(value) : undefined;
    case "dependents":
      return isJsonObject(value) ? dependentNames(value) : undefined;
    case "values":
      return Array.isArray(value) && value.length > 0 ? distinct(value) : undefined;
    default:
      return value;
  }
}

/** `not` of a schema of which nothing remains would refuse every value. */
function writeSchema(
  name: string,
  schema: JsonObject | boolean,
  convert: (schema: unknown) => JsonObject | boolean,
): unknown {
  const written = convert(schema);
  const isEmptied = isJsonObject(written) && Object.keys(written).length === 0 && Object.keys(schema).length > 0;
  return name === "not" && isEmptied ? undefined : written;
}

/** No JSON door accepts the key `__proto__`, and ajv does not look at it. */
function convertMap(
  name: string,
  map: JsonObject,
  convert: (schema: unknown) => JsonObject | boolean,
  onDropped: (pattern: string, reason: string) => void,
): JsonObject {
  const written: JsonObject = {};
  for (const [key, member] of safeEntries(map)) {
    if (name !== "patternProperties" || isLinearPattern(key, onDropped)) setOwn(written, key, convert(member));
    // Matches every name, so that additionalProperties does not refuse the names of the pattern.
    else written[""] = {};
  }
  return written;
}

function requiredNames(value: readonly unknown[]): string[] {
  return [...new Set(value.filter(isText))].filter((name) => name !== "__proto__");
}

function dependentNames(map: JsonObject): JsonObject {
  const written: JsonObject = {};
  for (const [name, names] of safeEntries(map)) {
    if (Array.isArray(names)) setOwn(written, name, requiredNames(names));
  }
  return written;
}

/** Up to OpenAPI 3.0 an exclusive bound is a boolean beside the bound, as in draft-04. */
function writeBound(name: string, value: unknown, schema: JsonObject): unknown {
  const isLower = name.endsWith("inimum");
  const bound = schema[isLower ? "minimum" : "maximum"];
  const exclusive = schema[isLower ? "exclusiveMinimum" : "exclusiveMaximum"];
  if (name.startsWith("exclusive")) {
    const written = value === true ? bound : value;
    return typeof written === "number" ? written : undefined;
  }
  return typeof value === "number" && exclusive !== true ? value : undefined;
}

const typeNames = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
/** Types that documents invent or take from another language. */
const meantTypes: Readonly<Record<string, string>> = {
  file: "string",
  list: "array",
  map: "object",
  dict: "object",
  int: "integer",
  long: "integer",
  float: "number",
  double: "number",
  bool: "boolean",
  str: "string",
};

/** The type or types of a schema; undefined if it names none that JSON Schema has. */
export function readType(type: unknown): string | readonly string[] | undefined {
  if (typeof type === "string") {
    const name = type.toLowerCase();
    return typeNames.has(name) ? name : Object.hasOwn(meantTypes, name) ? meantTypes[name] : undefined;
  }
  if (!Array.isArray(type)) return undefined;
  const types = [...new Set(type.map(readType).filter(isText))];
  return types.length === 0 || types.length < new Set(type).size ? undefined : types;
}

/** By the rules for schemas that are not trusted: one pattern alone must not cost the operation. */
function isLinearPattern(pattern: string, onDropped: (pattern: string, reason: string) => void): boolean {
  if (pattern.length > untrustedBounds.patternLength) {
    onDropped(pattern, `has over ${untrustedBounds.patternLength} characters`);
    return false;
  }
  try {
    createLinearPattern(pattern);
    return true;
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    onDropped(pattern, error.message);
    return false;
  }
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
