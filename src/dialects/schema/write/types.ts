import { type JsonObject, omit } from "../../../json/object.ts";
import { keywordsByType } from "../../../schema/keywords.ts";
import { speaksOf } from "./formats.ts";

const allTypes = ["null", "boolean", "number", "string", "array", "object"];

const none: ReadonlySet<string> = new Set();

function keywordsOf(type: string): ReadonlySet<string> {
  return keywordsByType.get(type) ?? none;
}

const typed = new Set([...keywordsByType.values()].flatMap((keywords) => [...keywords]));

/** Keywords that describe a schema and do not constrain a value. */
export const annotations: ReadonlySet<string> = new Set(
  "description title default examples example deprecated readOnly writeOnly contentEncoding contentMediaType".split(
    " ",
  ),
);

export function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The types that a schema names. Undefined if it names none. */
export function typesOf(node: JsonObject): string[] | undefined {
  if (node["type"] !== undefined) return [node["type"]].flat() as string[];
  const values = "const" in node ? [node["const"]] : node["enum"];
  return Array.isArray(values) ? [...new Set(values.map(typeOfValue))] : undefined;
}

/** The types that a schema's keywords apply to, if it names none. */
export function typesSpokenOf(node: JsonObject): string[] {
  const { format } = node;
  return allTypes.filter(
    (type) =>
      [...keywordsOf(type)].some((keyword) => keyword in node) || (format !== undefined && speaksOf(format, type)),
  );
}

/** Removes keywords that do not apply to the types that a schema names. */
export function omitForeign(node: JsonObject): JsonObject {
  const types = typesOf(node)?.map((type) => (type === "integer" ? "number" : type));
  if (types === undefined) return node;
  const foreign = [...typed].filter((keyword) => !types.some((type) => keywordsOf(type).has(keyword)));
  return foreign.some((keyword) => keyword in node) ? omit(node, ...foreign) : node;
}

/** One schema per type, with the constraints for values of that type. A type without allowed values is left out. */
export function splitTypes(node: JsonObject, types: readonly string[]): JsonObject[] {
  return types.flatMap((type) => {
    const base = type === "integer" ? "number" : type;
    const foreign = [...typed].filter((keyword) => !keywordsOf(base).has(keyword));
    if ("format" in node && !speaksOf(node["format"], base)) foreign.push("format");
    const branch: JsonObject = { type, ...omit(node, "type", ...foreign, ...annotations) };
    if (!("const" in node) && !Array.isArray(node["enum"])) return [branch];
    const values = ("const" in node ? [node["const"]] : (node["enum"] as unknown[])).filter((value) =>
      type === "integer" ? Number.isInteger(value) : typeOfValue(value) === base,
    );
    if (values.length === 0) return [];
    return ["const" in node ? branch : { ...branch, enum: values }];
  });
}
