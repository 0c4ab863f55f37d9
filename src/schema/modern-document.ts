import type { JsonObject } from "../json/object.ts";
import type { Draft } from "./draft.ts";
import { keywordsWhere } from "./keywords.ts";
import { readDocument, referencesOf } from "./resolve.ts";

/** Keywords that the check enforces in 2020-12 and other validators of that draft do not. */
const notModern = new Set([
  ...keywordsWhere(({ marks, role }) => marks.has("old") && (role === "rule" || role === "refer")),
  "nullable",
]);

/** A reference in the characters of a URI, and without a `/` inside a key, which validators read in different ways. */
const plainReference = /^(?!.*%2f)[\w\-.~:/?#@!$&'()*+,;=%]*$/i;

/** Whether a schema is 2020-12 and has the same meaning for every validator of that draft as for the check. */
export function isModern(draft: Draft, schema: JsonObject): boolean {
  if (draft.name !== "2020-12") return false;
  return readDocument(schema).schemas.every(
    ({ node }) =>
      Object.keys(node).every((keyword) => !notModern.has(keyword)) &&
      referencesOf(node).every(({ reference }) => plainReference.test(reference)),
  );
}
