import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { checkNames } from "./names.ts";
import { pointerToken } from "../../json/pointer.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { LinearPattern } from "./linear-pattern.ts";
import { UnsupportedPattern } from "./ecma-to-re2.ts";
import { inPlace, keywordsWhere } from "../keywords.ts";
import { readDocument, referencesOf, type SchemaDocument } from "../resolve.ts";
import { subschemas } from "../walk.ts";

/**
 * The limits of a foreign schema. Of 1,723 schemas of public MCP servers and 3,100 of OpenAPI documents they refuse
 * the 201 largest, responses of 70 kB to 400 kB. docs/decisions/2026-11-28-foreign-schemas.md has the table.
 */
export const untrustedBounds = {
  /** UTF-8 bytes as JSON. */
  bytes: 131_072,
  /** Maximum nesting of schemas. */
  depth: 32,
  /** Number of schemas, including the root. */
  subschemas: 1100,
  /** Number of keywords that restrict a value, in the whole schema: compiling takes time in proportion. */
  keywords: 1500,
  /** Branches of `anyOf`, `oneOf`, `allOf`, and the like, in the whole schema. */
  branches: 250,
  /** Values of one `enum`. */
  enumLength: 2000,
  /** Members of one `properties`, and names of one `required`. */
  properties: 500,
  /** UTF-16 code units of one pattern. */
  patternLength: 1000,
  /** Patterns in the whole schema, equal ones once. */
  patterns: 100,
  /** Unicode properties, as `\\p{L}`, in all patterns: each brings some hundred ranges. */
  unicodeProperties: 50,
} as const;

/** Levels of JSON: a schema's level takes three at most, and `enum`, `const` and `examples` hold any value. */
const maxJsonDepth = 3 * untrustedBounds.depth + 32;

/**
 * Checks the size of a schema that is not trusted, before any costly step. @throws Error that
 * names the exceeded limit for the operator
 */
export function checkUntrustedSize(text: string, schema: JsonSchema): void {
  checkUntrustedBytes(text);
  checkJsonDepth(schema, 0);
}

/** @throws Error if the JSON text of a schema is too long */
export function checkUntrustedBytes(text: string): void {
  if (Buffer.byteLength(text) > untrustedBounds.bytes) throw over("bytes", untrustedBounds.bytes);
}

/**
 * Checks a schema that is not trusted before it is checked against its draft. @param
 * schema in the form for ajv: draft-04's `id` is a name only there @throws Error that names the exceeded limit and its
 * place for the operator. It contains no values, only the names on the way
 */
export function checkUntrustedSchema(schema: JsonSchema, toLinearPattern: (pattern: string) => LinearPattern): void {
  if (typeof schema === "boolean") return;
  const values = checkNames(schema);
  const document = readDocument(schema);
  checkChains(document);

  const counts = { subschemas: 0, keywords: 0, branches: 0, unicodeProperties: 0 };
  const patterns = new Set<string>();
  for (const { node, path, depth } of document.schemas) {
    if (values.has(node)) throw new Error(`the reference to ${shorten(path)} points to a value that is not a schema`);
    if (depth > untrustedBounds.depth) throw over("depth", untrustedBounds.depth);
    counts.subschemas++;
    counts.keywords += Object.keys(node).filter((keyword) => !silent.has(keyword)).length;
    counts.branches += branchesOf(node);
    checkReferences(node, path);
    checkLengths(node, path);
    for (const place of patternsOf(node, path)) {
      if (patterns.has(place.text)) continue;
      if (patterns.add(place.text).size > untrustedBounds.patterns) throw over("patterns", untrustedBounds.patterns);
      counts.unicodeProperties += place.text.match(/\\p/gi)?.length ?? 0;
      checkCounts(counts);
      checkPattern(place, toLinearPattern);
    }
    checkCounts(counts);
  }
}

/**
 * A chain of schemas for one value: a circle never ends, and in a long one findings add up at each level of a value.
 */
function checkChains({ schemas, resolve }: SchemaDocument): void {
  const lengths = new Map<JsonObject, number>();
  for (const { node } of schemas) lengthFrom(node);

  function lengthFrom(node: JsonObject): number {
    const known = lengths.get(node);
    if (known === Infinity)
      throw new Error("the schema refers to itself without end, and no property or item is in between");
    if (known !== undefined) return known;
    lengths.set(node, Infinity);
    const next = [...subschemas(node)]
      .filter((child) => inPlace.has(child.keyword))
      .map((child): unknown => child.schema);
    for (const { reference } of referencesOf(node)) next.push(resolve(reference, node)?.node);
    const length = next.filter(isJsonObject).reduce((longest, each) => Math.max(longest, 1 + lengthFrom(each)), 0);
    if (length > untrustedBounds.depth) throw over("depth", untrustedBounds.depth);
    lengths.set(node, length);
    return length;
  }
}

type Counts = Record<"subschemas" | "keywords" | "branches" | "unicodeProperties", number>;

function checkCounts(counts: Counts): void {
  for (const [noun, count] of Object.entries(counts)) {
    const limit = untrustedBounds[noun as keyof Counts];
    if (count > limit) throw over(noun, limit);
  }
}

/** They do not restrict a value. An unknown keyword counts, because it may be a keyword of another draft. */
const silent = new Set([...keywordsWhere(({ role }) => role !== "rule" && role !== "refer"), "example"]);

const branchLists = [...keywordsWhere(({ about, holds }) => about === "value" && holds.has("list"))];
const branchSchemas = [...keywordsWhere(({ marks, holds }) => marks.has("fails") && holds.has("one"))];

function branchesOf(node: JsonObject): number {
  const lists = branchLists.map((keyword) => node[keyword]).filter(Array.isArray);
  const single = branchSchemas.filter((keyword) => keyword in node);
  return lists.reduce((sum, list) => sum + list.length, single.length);
}

function checkPattern({ path, text }: Place, toLinearPattern: (pattern: string) => LinearPattern): void {
  if (text.length > untrustedBounds.patternLength) throw over("characters", untrustedBounds.patternLength, path);
  try {
    toLinearPattern(text);
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    throw new Error(`the pattern at ${shorten(path)} ${error.message}`, { cause: error });
  }
}

function checkReferences(node: JsonObject, path: string): void {
  for (const { keyword, reference } of referencesOf(node)) {
    if (reference.startsWith("#")) continue;
    throw new Error(
      `the reference at ${shorten(`${path}/${keyword}`)} leaves the schema; only references that begin with "#" are followed`,
    );
  }
}

interface Place {
  /** JSON Pointer to the keyword. */
  readonly path: string;
  readonly text: string;
}

function patternsOf(node: JsonObject, path: string): Place[] {
  const { pattern, patternProperties } = node;
  const keys = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  const places = keys.map((text) => ({ path: `${path}/patternProperties${pointerToken(text)}`, text }));
  if (typeof pattern === "string") places.push({ path: `${path}/pattern`, text: pattern });
  return places;
}

function checkLengths(node: JsonObject, path: string): void {
  const limit = (keyword: string, limit: number, noun: string): void => {
    const value = node[keyword];
    const length = Array.isArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0;
    if (length > limit) throw over(noun, limit, `${path}/${keyword}`);
  };
  limit("enum", untrustedBounds.enumLength, "values");
  limit("required", untrustedBounds.properties, "names");
  limit("properties", untrustedBounds.properties, "properties");
  limit("dependentRequired", untrustedBounds.properties, "properties");
  limit("dependencies", untrustedBounds.properties, "properties");
  for (const keyword of ["dependentRequired", "dependencies"]) {
    const lists = isJsonObject(node[keyword]) ? Object.values(node[keyword]).filter(Array.isArray) : [];
    const names = lists.reduce((sum, list) => sum + list.length, 0);
    if (names > untrustedBounds.properties) throw over("names", untrustedBounds.properties, `${path}/${keyword}`);
  }
}

function checkJsonDepth(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > maxJsonDepth) throw new Error(`the schema is nested over ${maxJsonDepth} levels of JSON`);
  for (const member of Object.values(value)) checkJsonDepth(member, depth + 1);
}

const nouns: Readonly<Record<string, string>> = {
  depth: "levels of schemas in schemas",
  subschemas: "schemas",
  unicodeProperties: "Unicode properties in patterns",
};

function over(bound: string, limit: number, path?: string): Error {
  const place = path === undefined ? "" : ` at ${shorten(path)}`;
  return new Error(
    `the schema has over ${limit} ${nouns[bound] ?? bound}${place}, more than a schema that is not trusted may have`,
  );
}

function shorten(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 200)}…`;
}
