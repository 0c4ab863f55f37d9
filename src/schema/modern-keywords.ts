import { isJsonObject, type JsonObject } from "../json/object.ts";
import { type DraftName, enforcedIn, keywordsWhere } from "./keywords.ts";

/** A keyword of 2020-12, its value as it is in the source, and the keyword of the source. */
export type ModernKeyword = readonly [keyword: string, value: unknown, source: string];

/**
 * Names, references and definitions, which a document in 2020-12 has in its own form, and keywords of older drafts and
 * of OpenAPI.
 */
const replaced = new Set([
  ...keywordsWhere(({ role, marks }) => ["name", "refer", "store"].includes(role) || marks.has("old")),
  "$comment",
  "nullable",
]);

/**
 * The keywords of one schema, without the schemas inside it, in 2020-12. Keywords that the check does not enforce in
 * the schema's draft are left out, so that they still have no effect. Siblings of `$ref` are kept in all drafts,
 * because the check, which is ajv's, enforces them in all drafts.
 * @param asksUnevaluated the document contains `unevaluated…`, so that an `if` without `then` and `else` has an effect
 */
export function modernKeywords(node: JsonObject, draft: DraftName, asksUnevaluated: boolean): readonly ModernKeyword[] {
  return Object.entries(node).flatMap(([keyword, value]): ModernKeyword[] => {
    if (isUnknownTo(draft, keyword) || asksNothing(keyword, value)) return [];
    if (keyword === "items" && Array.isArray(value)) return tuple(node, value);
    if (keyword === "dependencies" && isJsonObject(value)) return splitDependencies(value);
    if (keyword === "type") return [[keyword, typeOf(node), keyword]];
    if ((keyword === "then" || keyword === "else") && node["if"] === undefined) return [];
    const isCondition = node["then"] !== undefined || node["else"] !== undefined;
    if (keyword === "if" && !isCondition && !asksUnevaluated) return [];
    return replaced.has(keyword) ? [] : [[keyword, value, keyword]];
  });
}

/** The check of a schema in this draft does not enforce the keyword. */
export function isUnknownTo(draft: DraftName, keyword: string): boolean {
  return enforcedIn.get(keyword)?.includes(draft) === false;
}

/** Every value fulfils it. */
function asksNothing(keyword: string, value: unknown): boolean {
  if (/^min(Length|Items|Properties)$/.test(keyword)) return value === 0;
  if (keyword === "uniqueItems") return value === false;
  // Names of properties are always strings; some libraries repeat that.
  if (keyword === "propertyNames") return value === true || JSON.stringify(value) === '{"type":"string"}';
  return keyword === "required" && Array.isArray(value) && value.length === 0;
}

function typeOf(node: JsonObject): unknown {
  const types = new Set([node["type"]].flat());
  if (node["nullable"] === true) types.add("null");
  if (types.has("number")) types.delete("integer");
  return types.size === 1 ? [...types][0] : [...types];
}

function tuple(node: JsonObject, members: readonly unknown[]): ModernKeyword[] {
  const rest = node["additionalItems"];
  const prefix: ModernKeyword[] = members.length === 0 ? [] : [["prefixItems", members, "items"]];
  return rest === undefined ? prefix : [...prefix, ["items", rest, "additionalItems"]];
}

function splitDependencies(dependencies: JsonObject): ModernKeyword[] {
  const part = (isList: boolean): JsonObject =>
    Object.fromEntries(Object.entries(dependencies).filter(([, needs]) => Array.isArray(needs) === isList));
  const parts: ModernKeyword[] = [
    ["dependentRequired", part(true), "dependencies"],
    ["dependentSchemas", part(false), "dependencies"],
  ];
  return parts.filter(([, members]) => Object.keys(members as JsonObject).length > 0);
}
