import type { JsonObject } from "../../json/object.ts";
import { pointerToken } from "../../json/pointer.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { LintFinding } from "./lint.ts";
import { lintRequired } from "./required.ts";
import { readDraft } from "../draft.ts";
import { type DraftName, enforcedIn, foreignKeywords, isAnnotation, keywords } from "../keywords.ts";
import { readDocument } from "../resolve.ts";
import { closest } from "../suggest.ts";

/**
 * Finds probable mistakes of a schema's author: a misspelt keyword, one that is not enforced in the schema's draft,
 * a required property that is not listed. An unknown keyword that resembles no known one is an annotation.
 * @param schema a schema that can be registered
 */
export function lintSchema(schema: JsonSchema): LintFinding[] {
  if (typeof schema === "boolean") return [];
  const draft = draftOf(schema);
  const found: LintFinding[] = [];
  for (const { node, path } of readDocument(schema).schemas) {
    for (const keyword of Object.keys(node)) {
      const message = lintKeyword(node, keyword, draft);
      if (message !== undefined) found.push({ path: path + pointerToken(keyword), message });
    }
  }
  return [...found, ...lintRequired(schema)];
}

function lintKeyword(node: JsonObject, keyword: string, draft: DraftName): string | undefined {
  const drafts = enforcedIn.get(keyword);
  if (drafts?.includes(draft) === false) {
    const others = drafts.length === 1 ? drafts[0] : `${drafts[0]} to ${drafts.at(-1)}`;
    return `"${keyword}" has no effect in JSON Schema ${draft}, only in ${others}`;
  }
  if (keywords.has(keyword) || isAnnotation(keyword)) return undefined;
  const meant = foreignKeyword(node, keyword) ?? closest(keyword, keywords);
  if (meant === undefined) return undefined;
  return `${JSON.stringify(keyword)} is not a keyword of JSON Schema and has no effect; did you mean "${meant}"?`;
}

function foreignKeyword(node: JsonObject, keyword: string): string | undefined {
  const meant = foreignKeywords.get(keyword);
  if (meant === undefined || typeof meant === "string") return meant;
  const type = Array.isArray(node["type"]) ? node["type"].find((each) => each !== "null") : node["type"];
  return typeof type === "string" && Object.hasOwn(meant, type) ? meant[type] : undefined;
}

/** The draft in `$schema`: draft-04 is checked as draft-07. */
function draftOf(schema: JsonObject): DraftName {
  const isDraft4 = typeof schema["$schema"] === "string" && schema["$schema"].includes("/draft-04/");
  return isDraft4 ? "draft-04" : readDraft(schema).draft.name;
}
