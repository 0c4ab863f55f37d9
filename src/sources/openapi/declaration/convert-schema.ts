import { getOwn, isJsonObject, type JsonObject, ownMember, setOwn } from "../../../json/object.ts";
import { isKeyword, readType, writeKeyword } from "./keywords.ts";

export interface Conversion {
  /** Whether a property is only for the other side of an exchange. */
  isOtherSide(property: unknown): boolean;
  /** OpenAPI 3.1 and later: members next to a `$ref` have an effect. */
  readonly keepsSiblings: boolean;
  /**
   * The name of the definition that a reference leads to; undefined if it leads nowhere.
   * @param isDynamic it is a `$dynamicRef`
   */
  nameOf(reference: string, isDynamic: boolean): string | undefined;
  /** Gets the `$schema` of a schema. */
  onDialect(uri: string): void;
  /** Gets a pattern that is left out, with the reason. */
  onDropped(pattern: string, reason: string): void;
}

const maxDepth = 100;

/** A schema of any version of OpenAPI as JSON Schema 2020-12. What is not valid there is left out: it accepts more. */
export function convertSchema(schema: unknown, conversion: Conversion, depth = 0): JsonObject | boolean {
  if (typeof schema === "boolean") return schema;
  if (!isJsonObject(schema) || depth > maxDepth) return {};
  const inner = (value: unknown): JsonObject | boolean => convertSchema(value, conversion, depth + 1);
  const { $ref: fixed, $dynamicRef: dynamic, $schema: dialect } = schema;
  const isDynamic = typeof fixed !== "string" && conversion.keepsSiblings;
  const reference = isDynamic ? dynamic : fixed;
  const written: JsonObject = {};
  if (typeof dialect === "string") conversion.onDialect(dialect);
  if (typeof reference === "string") {
    const name = conversion.nameOf(reference, isDynamic);
    if (name !== undefined) written["$ref"] = `#/$defs/${name}`;
    if (typeof schema["description"] === "string") written["description"] = schema["description"];
    if (!conversion.keepsSiblings) return written;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "$ref" || !isKeyword(keyword)) continue;
    const converted = writeKeyword(keyword, value, schema, inner, conversion.onDropped);
    if (converted !== undefined) setOwn(written, keyword, converted);
  }
  requireMarked(written, schema);
  dropOtherSide(written, schema, conversion);
  const type = readType(schema["type"]);
  if (type !== undefined) written["type"] = type;
  writeExamples(written, schema);
  fitEnum(written);
  return schema["nullable"] === true || schema["x-nullable"] === true ? withNull(written) : written;
}

/** People write `required: true` on a property, as on a parameter. */
function requireMarked(written: JsonObject, { properties }: JsonObject): void {
  if (!isJsonObject(properties)) return;
  const marked = Object.keys(properties).filter((name) => ownMember(properties[name], "required") === true);
  if (marked.length === 0) return;
  const listed = Array.isArray(written["required"]) ? (written["required"] as string[]) : [];
  written["required"] = [...new Set([...listed, ...marked])].filter((name) => name !== "__proto__");
}

function dropOtherSide(written: JsonObject, schema: JsonObject, { isOtherSide }: Conversion): void {
  const given = schema["properties"];
  if (!isJsonObject(given) || !isJsonObject(written["properties"])) return;
  const isOther = (name: string): boolean => isOtherSide(getOwn(given, name));
  const kept: JsonObject = {};
  for (const [name, property] of Object.entries(written["properties"])) {
    if (!isOther(name)) setOwn(kept, name, property);
  }
  written["properties"] = kept;
  if (!Array.isArray(written["required"])) return;
  const required = (written["required"] as string[]).filter((name) => !isOther(name));
  if (required.length > 0) written["required"] = required;
  else delete written["required"];
}

function writeExamples(written: JsonObject, { example, examples }: JsonObject): void {
  if (Array.isArray(examples)) written["examples"] = examples;
  else if (example !== undefined) written["examples"] = [example];
}

/** Values of an enum that its type refuses are left out; if all are, the type was wrong. */
function fitEnum(written: JsonObject): void {
  const { type, enum: values } = written;
  if (!Array.isArray(values) || type === undefined) return;
  const types = Array.isArray(type) ? type : [type];
  const fitting = values.filter((value) => types.some((each) => hasType(value, each)));
  if (fitting.length === 0) delete written["type"];
  else written["enum"] = fitting;
}

function hasType(value: unknown, type: unknown): boolean {
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  if (typeof value === "number") return type === "number" || (type === "integer" && Number.isInteger(value));
  return typeof value === type;
}

function withNull(written: JsonObject): JsonObject {
  const { type, enum: values } = written;
  if (type === undefined || "$ref" in written || "allOf" in written || "anyOf" in written || "oneOf" in written) {
    return type === undefined && values === undefined && !hasChoice(written)
      ? written
      : { anyOf: [written, { type: "null" }] };
  }
  const types = [...new Set([type, "null"].flat())];
  const isListed = Array.isArray(values) && !values.includes(null);
  return { ...written, type: types, ...(isListed && { enum: [...(values as unknown[]), null] }) };
}

function hasChoice(written: JsonObject): boolean {
  return ["$ref", "allOf", "anyOf", "oneOf"].some((keyword) => keyword in written);
}
