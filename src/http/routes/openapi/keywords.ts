import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import { keywordsWhere } from "../../../schema/keywords.ts";

/** A schema that has no place in the document, such as one that refers to another document. */
export class Unplaceable extends Error {
  override readonly name = "Unplaceable";
}

/**
 * The keywords of JSON Schema 2020-12. All others are left out: OpenAPI gives some of them, such as `discriminator`, a
 * meaning in the document that they did not have in the tool.
 */
const kept = new Set([
  "$ref",
  ...keywordsWhere(
    ({ role, marks, name }) => ["rule", "note"].includes(role) && !marks.has("old") && name !== "default",
  ),
]);

/** Keeps in one modern schema, without those inside it, only the keywords that readers of OpenAPI understand. */
export function keepKeywords(node: JsonObject): void {
  // Toolhost fills in no defaults, and generators ask callers for a property that has one.
  if ("default" in node) {
    node["description"] = [node["description"], `Default: ${JSON.stringify(node["default"])}.`].join(" ").trim();
  }
  for (const keyword of Object.keys(node)) if (!kept.has(keyword)) delete node[keyword];
  // Readers of OpenAPI follow every `$ref`, even one that is data.
  if (containsReference(node["examples"])) delete node["examples"];
  if (containsReference(node["enum"]) || containsReference(node["const"])) {
    throw new Unplaceable('a value in the schema contains "$ref"');
  }
}

function containsReference(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(containsReference);
  return isJsonObject(value) && (Object.hasOwn(value, "$ref") || Object.values(value).some(containsReference));
}
