/** Versions of JSON Schema, oldest first. */
export type DraftName = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

const allDrafts: readonly DraftName[] = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"];

/**
 * Every keyword that a draft from 04 to 2020-12 defines. All other files that need a list of keywords derive it from
 * here. - role: `rule` restricts a value; `note` is an annotation; `name` identifies a schema; `refer` refers to one;
 *   `store` only contains schemas
 * - holds: its value is `one` schema, a `list` of schemas, or a `map` of schemas. `one|list` is a list in old drafts,
 * and
 *   members of a `map|names` may be lists of names.
 * - about: its schemas apply to the `value` itself, of a `property`, of an `item`, or of each property's `key`
 * - type: the type of the values that it has an effect on
 * - checked: the drafts in which the check enforces it; ajv enforces some keywords in drafts that do not define them
 * - marks: `old`: expressed by other keywords in 2020-12; `fails`: the value may be valid although one
 *   of its schemas does not accept it; `scans`: it takes time in proportion to the members or characters of a value
 */
const table = `
keyword                role   holds      about     type    checked  marks
$anchor                name   -          -         -       all      -
$comment               note   -          -         -       all      -
$defs                  store  map        -         -       all      -
$dynamicAnchor         name   -          -         -       2019-    -
$dynamicRef            refer  -          value     -       2019-    -
$id                    name   -          -         -       all      -
$recursiveAnchor       name   -          -         -       2019-    old
$recursiveRef          refer  -          value     -       2019-    old
$ref                   refer  -          value     -       all      -
$schema                name   -          -         -       all      -
$vocabulary            name   -          -         -       all      -
id                     name   -          -         -       all      old
definitions            store  map        -         -       all      old
title                  note   -          -         -       all      -
description            note   -          -         -       all      -
default                note   -          -         -       all      -
examples               note   -          -         -       all      -
deprecated             note   -          -         -       all      -
readOnly               note   -          -         -       all      -
writeOnly              note   -          -         -       all      -
type                   rule   -          -         -       all      -
enum                   rule   -          -         -       all      scans
const                  rule   -          -         -       all      scans
allOf                  rule   list       value     -       all      -
anyOf                  rule   list       value     -       all      fails
oneOf                  rule   list       value     -       all      fails
not                    rule   one        value     -       all      fails
if                     rule   one        value     -       all      fails
then                   rule   one        value     -       all      -
else                   rule   one        value     -       all      -
properties             rule   map        property  object  all      -
patternProperties      rule   map        property  object  all      scans
additionalProperties   rule   one        property  object  all      scans
unevaluatedProperties  rule   one        property  object  2019-    scans
propertyNames          rule   one        key       object  all      scans,fails
required               rule   -          -         object  all      -
minProperties          rule   -          -         object  all      scans
maxProperties          rule   -          -         object  all      scans
dependentRequired      rule   -          -         object  2019-    -
dependentSchemas       rule   map        value     object  2019-    -
dependencies           rule   map|names  value     object  all      old
items                  rule   one|list   item      array   all      -
prefixItems            rule   list       item      array   2020-    -
additionalItems        rule   one        item      array   -2019    old
unevaluatedItems       rule   one        item      array   2019-    -
contains               rule   one        item      array   all      fails
minContains            rule   -          -         array   2019-    -
maxContains            rule   -          -         array   2019-    -
minItems               rule   -          -         array   all      -
maxItems               rule   -          -         array   all      -
uniqueItems            rule   -          -         array   all      -
minLength              rule   -          -         string  all      scans
maxLength              rule   -          -         string  all      scans
pattern                rule   -          -         string  all      -
format                 rule   -          -         -       all      scans
contentEncoding        note   -          -         string  all      -
contentMediaType       note   -          -         string  all      -
contentSchema          note   one        -         string  all      -
minimum                rule   -          -         number  all      -
maximum                rule   -          -         number  all      -
exclusiveMinimum       rule   -          -         number  all      -
exclusiveMaximum       rule   -          -         number  all      -
multipleOf             rule   -          -         number  all      -
`;

/** One row of the table. */
export interface Keyword {
  readonly name: string;
  readonly role: "rule" | "note" | "name" | "refer" | "store";
  readonly holds: ReadonlySet<string>;
  readonly about: "value" | "property" | "item" | "key" | undefined;
  readonly type: "object" | "array" | "string" | "number" | undefined;
  readonly checkedIn: readonly DraftName[];
  readonly marks: ReadonlySet<string>;
}

const rows: readonly Keyword[] = table
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => readRow(line.trim().split(/\s+/)));

function readRow([name = "", role, holds = "", about, type, checked = "", marks = ""]: readonly string[]): Keyword {
  return {
    name,
    role: role as Keyword["role"],
    holds: new Set(holds.split("|")),
    about: (about === "-" ? undefined : about) as Keyword["about"],
    type: (type === "-" ? undefined : type) as Keyword["type"],
    checkedIn: draftsOf(checked),
    marks: new Set(marks.split(",")),
  };
}

/** `all`; `2019-`: that draft and later ones; `-2019`: that draft and earlier ones. */
function draftsOf(range: string): readonly DraftName[] {
  const at = allDrafts.findIndex((draft) => draft.startsWith(range.replaceAll("-", "")));
  if (at < 0) return allDrafts;
  return range.startsWith("-") ? allDrafts.slice(0, at + 1) : allDrafts.slice(at);
}

/** The names of the keywords that meet a condition. */
export function keywordsWhere(condition: (keyword: Keyword) => boolean): ReadonlySet<string> {
  return new Set(rows.filter(condition).map(({ name }) => name));
}

/** The keywords that some draft from 04 to 2020-12 defines, even if they have no effect in another. */
export const keywords: ReadonlySet<string> = keywordsWhere(() => true);

/** The keywords that contain schemas, over all drafts. */
export const subschemaKeywords = {
  one: keywordsWhere(({ holds }) => holds.has("one")),
  list: keywordsWhere(({ holds }) => holds.has("list")),
  map: keywordsWhere(({ holds }) => holds.has("map")),
};

const isModern = ({ role, marks }: Keyword): boolean => role !== "store" && !marks.has("old");

/** The keywords of 2020-12 that contain schemas, except definitions. */
export const modernSubschemas = {
  one: keywordsWhere((keyword) => isModern(keyword) && keyword.holds.has("one")),
  list: keywordsWhere((keyword) => isModern(keyword) && keyword.holds.has("list") && keyword.name !== "items"),
  map: keywordsWhere((keyword) => isModern(keyword) && keyword.holds.has("map")),
};

/** Their schemas apply to the same value as the schema that contains them. */
export const inPlace: ReadonlySet<string> = keywordsWhere(({ about, role }) => about === "value" && role === "rule");

/** The drafts in which a keyword is enforced, for those that are not enforced in all of them. */
export const enforcedIn: ReadonlyMap<string, readonly DraftName[]> = new Map(
  rows
    .filter(({ role, checkedIn }) => (role === "rule" || role === "refer") && checkedIn !== allDrafts)
    .map(({ name, checkedIn }): [string, readonly DraftName[]] => [name, checkedIn]),
);

/** The keywords that have an effect on values of one type alone, by that type. */
export const keywordsByType: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ["object", "array", "string", "number"].map((name): [string, ReadonlySet<string>] => [
    name,
    keywordsWhere(({ type }) => type === name),
  ]),
);

const words = (text: string): string[] => text.trim().split(/\s+/);

/**
 * Annotations that other specifications and common tools define: OpenAPI, Gemini, form builders, editors, code
 * generators. No validator enforces them, and their authors use them on purpose.
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

/** Words of other schema languages, with the corresponding keyword for each type. */
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
