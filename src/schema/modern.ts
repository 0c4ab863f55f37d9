import { isJsonObject, type JsonObject } from "../json/object.ts";

/** Where JSON Schema 2020-12 keeps schemas. */
export const single: ReadonlySet<string> = new Set(
  "additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);
export const lists: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
export const maps: ReadonlySet<string> = new Set(["dependentSchemas", "patternProperties", "properties"]);

/** Names and references of a schema, and what only older drafts and OpenAPI say. */
const gone = new Set(
  (
    "$schema $id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment $defs definitions " +
    "$ref $dynamicRef $recursiveRef nullable additionalItems dependencies contentSchema"
  ).split(" "),
);

const since2019 =
  "dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties".split(" ");

/** Words that the draft does not know and that must not begin to count. */
function foreignWords(draftUri: string): readonly string[] {
  if (draftUri.includes("2020-12")) return [];
  return draftUri.includes("2019-09") ? ["prefixItems"] : ["prefixItems", ...since2019];
}

/** A keyword in the words of 2020-12: what it is called, what it says, and under which name that stood. */
type Word = readonly [keyword: string, value: unknown, source: string];

/** The keywords of one schema, without those inside it, in the words of 2020-12. */
export function modernise(node: JsonObject, draftUri: string): readonly Word[] {
  const foreign = foreignWords(draftUri);
  return Object.entries(node).flatMap(([keyword, value]): Word[] => {
    if (foreign.includes(keyword) || isIdle(keyword, value)) return [];
    if (keyword === "items" && Array.isArray(value)) return tuple(node, value);
    if (keyword === "dependencies" && isJsonObject(value)) return splitDependencies(value);
    if (keyword === "type") return [[keyword, typeOf(node), keyword]];
    if (typeof value === "boolean" && exclusives.has(keyword)) return [];
    if (keyword === "minimum")
      return [[node["exclusiveMinimum"] === true ? "exclusiveMinimum" : keyword, value, keyword]];
    if (keyword === "maximum")
      return [[node["exclusiveMaximum"] === true ? "exclusiveMaximum" : keyword, value, keyword]];
    if ((keyword === "then" || keyword === "else") && node["if"] === undefined) return [];
    if (keyword === "if" && node["then"] === undefined && node["else"] === undefined) return [];
    return gone.has(keyword) ? [] : [[keyword, value, keyword]];
  });
}

/** What asks nothing of any value. */
function isIdle(keyword: string, value: unknown): boolean {
  if (/^min(Length|Items|Properties)$/.test(keyword)) return value === 0;
  if (keyword === "uniqueItems") return value === false;
  // Names of properties are strings, which some libraries say again.
  if (keyword === "propertyNames") return value === true || JSON.stringify(value) === '{"type":"string"}';
  return keyword === "required" && Array.isArray(value) && value.length === 0;
}

function typeOf(node: JsonObject): unknown {
  const types = new Set([node["type"]].flat());
  if (node["nullable"] === true) types.add("null");
  if (types.has("number")) types.delete("integer");
  return types.size === 1 ? [...types][0] : [...types];
}

/** In draft-04 they are booleans beside the limit. */
const exclusives = new Set(["exclusiveMinimum", "exclusiveMaximum"]);

function tuple(node: JsonObject, members: readonly unknown[]): Word[] {
  const rest = node["additionalItems"];
  const words: Word[] = members.length === 0 ? [] : [["prefixItems", members, "items"]];
  return rest === undefined ? words : [...words, ["items", rest, "additionalItems"]];
}

function splitDependencies(dependencies: JsonObject): Word[] {
  const part = (isList: boolean): JsonObject =>
    Object.fromEntries(Object.entries(dependencies).filter(([, needs]) => Array.isArray(needs) === isList));
  const words: Word[] = [
    ["dependentRequired", part(true), "dependencies"],
    ["dependentSchemas", part(false), "dependencies"],
  ];
  return words.filter(([, members]) => Object.keys(members as JsonObject).length > 0);
}
