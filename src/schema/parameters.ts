import { isJsonObject, type JsonObject } from "../json/object.ts";
import { followRoot } from "./root.ts";
import { closest } from "./suggest.ts";

const types = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** The fields in which providers' declarations contain the schema. */
const holders = [
  "parameters",
  "input_schema",
  "inputSchema",
  "parametersJsonSchema",
  "args_schema",
  "schema",
  "function",
  "functionDeclarations",
];

/**
 * Arguments are an object, and their schema says so at its root, or refers to one of its own definitions that does.
 * @throws Error with the type that was found
 */
export function checkParameters(parameters: unknown): void {
  if (!isJsonObject(parameters)) throw new Error(`${mustBe}; it is ${kindOf(parameters)}`);
  let root: JsonObject;
  try {
    root = followRoot(parameters);
  } catch (error) {
    throw new Error(`${mustBe}; ${(error as Error).message}`, { cause: error });
  }
  if (root["type"] === "object") return;
  const subject = root === parameters ? "it" : `its $ref ${JSON.stringify(parameters["$ref"])} leads to a schema that`;
  throw new Error(`${mustBe}; ${subject} ${whatIsFound(root)}`);
}

const mustBe = 'the root of the parameters must have type "object"';

function whatIsFound(root: JsonObject): string {
  const { type } = root;
  const holder = isMapOfSchemas(root)
    ? undefined
    : holders.find((key) => isJsonObject(root[key]) || Array.isArray(root[key]));
  if (holder !== undefined) {
    const place = holder === "function" ? "function.parameters" : holder;
    return `is a whole function declaration: give only the schema in its "${place}"`;
  }
  if (typeof type === "string") {
    const meant = types.includes(type) ? undefined : closest(type.toLowerCase(), types);
    const hint = meant === type.toLowerCase() ? " Types are in lower case" : "";
    return `has type ${short(type)}${meant === undefined ? "" : `, did you mean "${meant}"?${hint}`}`;
  }
  if (isMapOfSchemas(root)) return "looks like a map of properties: put them inside the schema's properties";
  return type === undefined ? "has no type" : `has type ${short(type)}`;
}

/** Each member is a schema, as those of `properties` are. */
function isMapOfSchemas(root: JsonObject): boolean {
  const members = Object.values(root);
  const [first] = Object.entries(root);
  // This is more likely a schema under its key than a property with that name.
  if (
    members.length === 1 &&
    holders.includes(first![0]) &&
    isJsonObject(first![1]) &&
    first![1]["type"] === "object"
  ) {
    return false;
  }
  return members.length > 0 && members.every((member) => isJsonObject(member) && isSchemaLike(member));
}

function isSchemaLike(member: JsonObject): boolean {
  return ["type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf"].some((key) => Object.hasOwn(member, key));
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
