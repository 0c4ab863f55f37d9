import type { JsonObject } from "../../json/object.ts";
import { keywordsWhere } from "../../schema/keywords.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { PatternEngine } from "./write/write-pattern.ts";

/** What a provider accepts as the schema of arguments, in one mode such as strict. Made once: it is compared by identity. */
export type Profile = WrittenProfile | ConvertedProfile;

/** Schemas are written again, in keywords that the provider accepts. */
export interface WrittenProfile {
  readonly name: string;
  readonly keywords: KeywordTable;
  readonly shape: Shape;
  /** The profile for a tool that cannot be strict. @default this profile, which is not strict */
  readonly withoutStrict?: WrittenProfile;
  /** The limit on the size of a schema that a written schema exceeds, for people. @default no limit */
  excessOf?(schema: JsonObject): string | undefined;
}

/** Schemas are only brought to another draft. */
export interface ConvertedProfile {
  readonly name: string;
  /** @returns the schema, and JSON Pointers to the places that accept more than before */
  convert(schema: JsonSchema): { readonly schema: JsonObject; readonly widened: readonly string[] };
}

/**
 * - `keep`: the provider reads it
 * - `describe`: written as a sentence of the description
 * - `drop`: an annotation that is left out
 * - `refuse`: a strict schema cannot contain it, so the tool is not strict
 */
type Treatment = "keep" | "describe" | "drop" | "refuse";

/** The treatment of keywords that remain after a {@link Shape} was applied: names, separated by spaces. */
export interface KeywordTable extends Partial<Readonly<Record<Treatment, string>>> {
  /** Every other keyword of 2020-12 that restricts values. */
  readonly otherRules: Treatment;
  /** Everything else: annotations and unknown keywords. */
  readonly otherWords: Treatment;
}

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

export const unions = ["anyOf", "oneOf", "allOf"];

/** JSON Schema as a tool may write it, except at the root. */
export const asWritten: Shape = {
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

export const plain: Shape = { ...asWritten, plain: true, unionsAlone: true };

const rules = keywordsWhere(({ role, marks }) => role === "rule" && !marks.has("old"));

/** What a profile does with a keyword. */
export function treatmentOf({ keywords }: WrittenProfile, keyword: string): Treatment {
  return treatmentsOf(keywords).get(keyword) ?? (rules.has(keyword) ? keywords.otherRules : keywords.otherWords);
}

const tables = new WeakMap<KeywordTable, ReadonlyMap<string, Treatment>>();

function treatmentsOf(table: KeywordTable): ReadonlyMap<string, Treatment> {
  const known = tables.get(table);
  if (known !== undefined) return known;
  const treatments = new Map<string, Treatment>();
  for (const treatment of ["keep", "describe", "drop", "refuse"] as const) {
    for (const keyword of table[treatment]?.split(" ") ?? []) treatments.set(keyword, treatment);
  }
  tables.set(table, treatments);
  return treatments;
}
