/** Versions of JSON Schema, oldest first. */
export type DraftName = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

const words = (text: string): string[] => text.trim().split(/\s+/);

/** What some draft from 04 to 2020-12 defines, however little it does in another. */
export const keywords: ReadonlySet<string> = new Set(
  words(`
    $anchor $comment $defs $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary
    additionalItems additionalProperties allOf anyOf const contains contentEncoding contentMediaType contentSchema
    default definitions dependencies dependentRequired dependentSchemas deprecated description else enum examples
    exclusiveMaximum exclusiveMinimum format id if items maxContains maxItems maxLength maxProperties maximum minContains
    minItems minLength minProperties minimum multipleOf not oneOf pattern patternProperties prefixItems properties
    propertyNames readOnly required then title type unevaluatedItems unevaluatedProperties uniqueItems writeOnly`),
);

/**
 * Annotations that other specifications and common tools define: OpenAPI, Gemini, form builders, editors, code
 * generators. No validator enforces them, and their authors mean them.
 */
const annotations = new Set(
  words(`
    discriminator example externalDocs nullable xml
    propertyOrdering optional order
    enumDescriptions enumNames enumTitles markdownDescription markdownEnumDescriptions deprecationMessage defaultSnippets
    doNotSuggest suggestSortText allowComments allowTrailingCommas
    errorMessage errorMessages instanceof transform typeof tsType tsEnumNames javaType goType
    advanced category choices group hidden icon label options placeholder secret sensitive unit units widget`),
);

/** An annotation by its name: `x-…`, zod's `~standard`, `ui:order`, `$…` of another vocabulary, `_…`. */
const annotationName = /^(?:x-|x[A-Z]|[~_@])|:/;

export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || annotationName.test(keyword);
}

/** The drafts in which a keyword is enforced, for those that are not enforced in all of them. */
export const enforcedIn: ReadonlyMap<string, readonly DraftName[]> = new Map<string, readonly DraftName[]>([
  ["additionalItems", ["draft-04", "draft-06", "draft-07", "2019-09"]],
  ["prefixItems", ["2020-12"]],
  ["$dynamicRef", ["2020-12"]],
  ["$recursiveRef", ["2019-09"]],
  ...words("dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties").map(
    (keyword): [string, readonly DraftName[]] => [keyword, ["2019-09", "2020-12"]],
  ),
]);

/** What people write who know another schema language, with the keyword for each type that it depends on. */
export const foreignKeywords: ReadonlyMap<string, string | Readonly<Record<string, string>>> = new Map<
  string,
  string | Readonly<Record<string, string>>
>([
  ["desc", "description"],
  ["regex", "pattern"],
  ["regexp", "pattern"],
  ["values", "enum"],
  ["divisibleBy", "multipleOf"],
  ["extends", "allOf"],
  ["disallow", "not"],
  ["min", { string: "minLength", array: "minItems", object: "minProperties", number: "minimum", integer: "minimum" }],
  ["max", { string: "maxLength", array: "maxItems", object: "maxProperties", number: "maximum", integer: "maximum" }],
  ["minValue", "minimum"],
  ["maxValue", "maximum"],
]);
