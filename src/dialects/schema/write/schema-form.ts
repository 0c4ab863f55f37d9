import { entriesOf, type JsonObject, listOf, omit } from "../../../json/object.ts";
import { addSentences } from "./describe.ts";
import type { Place, Writer } from "./writer.ts";

/**
 * Gemini's Schema, a subset of OpenAPI 3.0: types in upper case, null as `nullable`, and nothing next to `anyOf`.
 * Source: Schema and Type of @google/genai 2.
 */
export function toSchemaForm(written: JsonObject): JsonObject {
  if (Array.isArray(written["anyOf"])) return union(written);
  const form: JsonObject = { ...written, type: String(written["type"]).toUpperCase() };
  const keys = entriesOf(written["properties"]).map(([key]) => key);
  return keys.length > 1 ? { ...form, propertyOrdering: keys } : form;
}

function union(written: JsonObject): JsonObject {
  const flat = listOf(written["anyOf"]).flatMap((branch) =>
    Array.isArray(branch["anyOf"]) ? listOf(branch["anyOf"]) : [branch],
  );
  const branches = flat.filter((branch) => !isNull(branch)).map((branch) => describeBranch(branch, written));
  const [first, ...others] = branches;
  if (first === undefined) return describeBranch({ type: "NULL" }, written);
  const open = flat.some(isNull) ? { ...first, nullable: true } : first;
  if (others.length > 0) return { anyOf: [open, ...others] };
  return { ...omit(written, "anyOf", "description", "title"), ...open };
}

/** A description of the whole also describes its branches. */
function describeBranch(branch: JsonObject, { title, description }: JsonObject): JsonObject {
  const own = branch["description"];
  const text = addSentences(description, typeof own === "string" && own !== description ? [own] : []);
  return { ...(title !== undefined && { title }), ...branch, ...(text !== "" && { description: text }) };
}

function isNull(form: JsonObject): boolean {
  return form["type"] === "NULL";
}

/** Null has no type of its own. */
export function endSchemaForm(form: JsonObject, { path }: Place, { lose }: Writer): JsonObject {
  if (!isNull(form)) return form;
  lose(path, "widened", "The schema allows only null. Only the description mentions this.");
  return { ...form, type: "STRING", nullable: true, description: addSentences(form["description"], ["Must be null."]) };
}
