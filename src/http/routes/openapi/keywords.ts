import { isJsonObject, type JsonObject } from "../../../json/object.ts";

/** A schema that has no place in the document, such as one that refers to another document. */
export class Unplaceable extends Error {
  override readonly name = "Unplaceable";
}

// The words of JSON Schema 2020-12 that say something of a value. All others are left out: OpenAPI gives some of them,
// such as `discriminator`, a meaning in the document that they did not have in the tool.
const words = new Set(
  (
    "$ref $comment title description deprecated readOnly writeOnly examples type enum const multipleOf maximum " +
    "exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains " +
    "minContains maxProperties minProperties required dependentRequired allOf anyOf oneOf not if then else dependentSchemas " +
    "prefixItems items contains properties patternProperties additionalProperties propertyNames unevaluatedItems " +
    "unevaluatedProperties format contentEncoding contentMediaType contentSchema"
  ).split(" "),
);
const wordsSince2019 = [
  "dependentRequired",
  "dependentSchemas",
  "maxContains",
  "minContains",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** Words that the draft does not know and that must not begin to count now. */
export function foreignWords(draftUri: string): readonly string[] {
  if (draftUri.includes("2020-12")) return [];
  return draftUri.includes("2019-09") ? ["prefixItems"] : ["prefixItems", ...wordsSince2019];
}

/** Writes one schema, without those inside it, in the words of 2020-12. */
export function renameWords(node: JsonObject, foreign: readonly string[]): void {
  for (const word of foreign) delete node[word];
  // With one `$id` in all there is one thing that a dynamic reference can mean.
  const dynamic = node["$dynamicRef"] ?? node["$recursiveRef"];
  if (dynamic !== undefined && node["$ref"] !== undefined) throw new Unplaceable("it refers twice in one place");
  if (dynamic !== undefined) node["$ref"] = dynamic;
  const { items, additionalItems, dependencies, description, nullable, type } = node;
  if (Array.isArray(items)) {
    delete node["items"];
    if (items.length > 0) node["prefixItems"] = items;
    if (additionalItems !== undefined) node["items"] = additionalItems;
  }
  if (isJsonObject(dependencies)) splitDependencies(node, dependencies);
  if (nullable === true && type !== undefined) node["type"] = [...new Set([type, "null"].flat())];
  // Toolhost fills in no defaults, and generators ask callers for a property that has one.
  if ("default" in node)
    node["description"] = [description, `Default: ${JSON.stringify(node["default"])}.`].join(" ").trim();
  for (const word of Object.keys(node)) if (!words.has(word)) delete node[word];
  // Readers of OpenAPI follow every `$ref`, even one that is data.
  if (holdsRef(node["examples"])) delete node["examples"];
  if (holdsRef(node["enum"]) || holdsRef(node["const"])) throw new Unplaceable("it has $ref in a value");
}

function splitDependencies(node: JsonObject, dependencies: JsonObject): void {
  const [lists, schemas] = [true, false].map((isList) =>
    Object.fromEntries(Object.entries(dependencies).filter(([, needs]) => Array.isArray(needs) === isList)),
  );
  node["dependentRequired"] = { ...lists, ...Object(node["dependentRequired"]) };
  node["dependentSchemas"] = { ...schemas, ...Object(node["dependentSchemas"]) };
}

function holdsRef(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).includes('"$ref"');
}
