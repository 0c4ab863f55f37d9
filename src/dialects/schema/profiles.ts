import type { PatternEngine } from "./write/write-pattern.ts";

/** The sets of JSON Schema keywords that a provider accepts, by mode. */
export const profiles = [
  "openai",
  "openai-strict",
  "anthropic",
  "anthropic-strict",
  "gemini",
  "gemini-openapi",
  "ollama",
  "mcp",
] as const;
export type Profile = (typeof profiles)[number];

/** Profiles whose schemas are rewritten. MCP's schemas are used unchanged. */
export type WrittenProfile = Exclude<Profile, "mcp">;

/**
 * - `keep`: the provider reads it
 * - `describe`: written as a sentence of the description
 * - `drop`: an annotation that is left out
 * - `refuse`: a strict schema cannot contain it, so the tool is not strict
 */
type Treatment = "keep" | "describe" | "drop" | "refuse";

/**
 * The treatment of a keyword that no shape of {@link shapes} has rewritten. Sources: for OpenAI and Anthropic their
 * guides to structured outputs and known errors of their APIs, for Gemini the types Schema and FunctionDeclaration of
 * @google/genai 2, for Ollama the fields of ToolProperty in api/types.go.
 */
const table = `
                       openai  openai-strict  anthropic  anthropic-strict  gemini    gemini-openapi  ollama
type                   keep    keep           keep       keep              keep      keep            keep
enum                   keep    keep           keep       keep              keep      keep            keep
const                  keep    keep           keep       keep              describe  describe        describe
anyOf                  keep    keep           keep       keep              keep      keep            keep
oneOf                  keep    refuse         keep       describe          describe  describe        describe
allOf                  keep    refuse         keep       describe          describe  describe        describe
not                    keep    refuse         keep       describe          describe  describe        describe
if                     keep    refuse         keep       describe          describe  describe        describe
then                   keep    refuse         keep       describe          describe  describe        describe
else                   keep    refuse         keep       describe          describe  describe        describe
properties             keep    keep           keep       keep              keep      keep            keep
required               keep    keep           keep       keep              keep      keep            keep
additionalProperties   keep    keep           keep       keep              keep      describe        describe
patternProperties      keep    refuse         keep       refuse            describe  describe        describe
propertyNames          keep    refuse         keep       describe          describe  describe        describe
minProperties          keep    refuse         keep       describe          describe  keep            describe
maxProperties          keep    refuse         keep       describe          describe  keep            describe
dependentRequired      keep    refuse         keep       describe          describe  describe        describe
dependentSchemas       keep    refuse         keep       describe          describe  describe        describe
unevaluatedProperties  keep    refuse         keep       describe          describe  describe        describe
items                  keep    keep           keep       keep              keep      keep            keep
prefixItems            keep    refuse         keep       refuse            keep      describe        describe
unevaluatedItems       keep    refuse         keep       describe          describe  describe        describe
contains               keep    refuse         keep       describe          describe  describe        describe
minContains            keep    refuse         keep       describe          describe  describe        describe
maxContains            keep    refuse         keep       describe          describe  describe        describe
uniqueItems            keep    describe       keep       describe          describe  describe        describe
minItems               keep    keep           keep       keep              keep      keep            describe
maxItems               keep    keep           keep       describe          keep      keep            describe
minimum                keep    keep           keep       describe          keep      keep            describe
maximum                keep    keep           keep       describe          keep      keep            describe
exclusiveMinimum       keep    keep           keep       describe          describe  describe        describe
exclusiveMaximum       keep    keep           keep       describe          describe  describe        describe
multipleOf             keep    keep           keep       describe          describe  describe        describe
minLength              keep    describe       keep       describe          describe  keep            describe
maxLength              keep    describe       keep       describe          describe  keep            describe
pattern                keep    keep           keep       keep              describe  keep            describe
format                 keep    keep           keep       keep              keep      keep            describe
title                  keep    keep           keep       keep              keep      keep            drop
default                keep    keep           keep       keep              describe  keep            describe
other                  keep    drop           keep       drop              drop      drop            drop
`;

/** The structure that a provider requires of schemas. */
export interface Shape {
  /** Root keywords that the provider refuses. */
  readonly refusedAtRoot: readonly string[];
  /** `anyOf` and references must be self-contained: `allOf` is merged, `oneOf` becomes `anyOf`. */
  readonly plain: boolean;
  /** Which references remain: all, none, only those that recur in an optional place, or only those that never recur. */
  readonly references: "keep" | "inline" | "optional" | "acyclic";
  /** Whether other keywords must not be next to `anyOf`. */
  readonly unionsAlone: boolean;
  /** Objects are closed, and a constraint that cannot be expressed makes the tool not strict. */
  readonly strict: boolean;
  /** Every property is required; an optional one may be null instead. */
  readonly requiresAll: boolean;
  /** `const` is written as an `enum` of one. */
  readonly constAsEnum: boolean;
  /** The values that an `enum` may contain. */
  readonly enums: "any" | "scalars" | "primitives" | "strings";
  /** Exclusive bounds are written as inclusive ones if the type is integer. */
  readonly inclusiveBounds: boolean;
  /** `prefixItems` is written as `items` that accept any of them. */
  readonly tuplesAsLists: boolean;
  /** A schema has one type; several types become alternatives. */
  readonly oneType: boolean;
  /** Every schema must have a `type`. */
  readonly needsType: boolean;
  /** An array must have `items`. */
  readonly needsItems: boolean;
  /** Maximum value of `minItems`. */
  readonly mostMinItems?: number;
  /** Required properties must be declared. */
  readonly declaresRequired: boolean;
  /** The only accepted values of `format`, for each type that has any. */
  readonly formats?: Readonly<Record<string, ReadonlySet<string>>>;
  /** The engine that compiles patterns, if the provider refuses those that do not compile. */
  readonly patterns?: PatternEngine;
  /** The only accepted keys of properties, and whether at every depth or only at the root. */
  readonly keys?: { readonly pattern: RegExp; readonly everywhere: boolean };
}

const unions = ["anyOf", "oneOf", "allOf"];
const strictFormats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);
const anthropicKeys = { pattern: /^[a-zA-Z0-9_.-]{1,64}$/, everywhere: false };
const geminiKeys = { pattern: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, everywhere: true };

const asWritten: Shape = {
  refusedAtRoot: unions,
  plain: false,
  references: "keep",
  unionsAlone: false,
  strict: false,
  requiresAll: false,
  constAsEnum: false,
  enums: "any",
  inclusiveBounds: false,
  tuplesAsLists: false,
  oneType: false,
  needsType: false,
  needsItems: false,
  declaresRequired: false,
};

const plain: Shape = { ...asWritten, plain: true, unionsAlone: true };

export const shapes: Readonly<Record<WrittenProfile, Shape>> = {
  openai: { ...asWritten, refusedAtRoot: [...unions, "not", "enum", "const"], needsItems: true, patterns: "python" },
  "openai-strict": {
    ...plain,
    refusedAtRoot: [...unions, "not", "enum", "const"],
    strict: true,
    requiresAll: true,
    formats: { string: strictFormats },
    patterns: "python",
  },
  anthropic: { ...asWritten, keys: anthropicKeys },
  "anthropic-strict": {
    ...plain,
    references: "acyclic",
    strict: true,
    enums: "primitives",
    oneType: true,
    mostMinItems: 1,
    formats: { string: new Set([...strictFormats, "uri"]) },
    patterns: "anthropic",
    keys: anthropicKeys,
  },
  gemini: {
    ...plain,
    references: "optional",
    constAsEnum: true,
    enums: "scalars",
    oneType: true,
    inclusiveBounds: true,
    needsItems: true,
    declaresRequired: true,
    keys: geminiKeys,
  },
  "gemini-openapi": {
    ...plain,
    references: "inline",
    constAsEnum: true,
    enums: "strings",
    oneType: true,
    needsType: true,
    inclusiveBounds: true,
    tuplesAsLists: true,
    needsItems: true,
    declaresRequired: true,
    formats: {
      string: new Set(["date", "date-time", "email", "byte", "password"]),
      number: new Set(["float", "double"]),
      integer: new Set(["int32", "int64"]),
    },
    patterns: "re2",
    keys: geminiKeys,
  },
  ollama: {
    ...plain,
    refusedAtRoot: [...unions, "enum", "const"],
    references: "inline",
    unionsAlone: false,
    constAsEnum: true,
    tuplesAsLists: true,
  },
};

const [heading = [], ...rows] = table
  .trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/));

/** What a profile does with a keyword. */
export function treatmentOf(profile: WrittenProfile, keyword: string): Treatment {
  return treatments.get(`${keyword} ${profile}`) ?? treatments.get(`other ${profile}`) ?? "drop";
}

const treatments = new Map<string, Treatment>(
  rows.flatMap(([keyword, ...cells]) =>
    cells.map((cell, column): [string, Treatment] => [`${keyword} ${heading[column]}`, cell as Treatment]),
  ),
);
