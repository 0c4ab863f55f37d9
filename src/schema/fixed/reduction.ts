import type { JsonObject } from "../../json/object.ts";
import type { FixedProperties } from "./fixed-properties.ts";

/** What a schema asks of the rest of an object, if some of its properties are fixed. */
export type Reduced = Possible | Impossible;

export interface Possible {
  readonly node: JsonObject;
  /** It asks the same. Otherwise it asks less: what it does not ask depends on values that are not known. */
  readonly isExact: boolean;
}

/** No object is valid, for a reason that names no value. */
export interface Impossible {
  readonly impossible: string;
}

/** What the reduction needs of the whole schema, which is in 2020-12 with bare names as references. */
export interface ReduceOptions {
  readonly fixed: FixedProperties;
  /** Whether a schema of the source accepts a value. */
  accepts(schema: unknown, value: unknown): boolean;
  /** Reduces a definition, once. @returns a reference to it */
  reduceDefinition(name: string): Reduced;
  /** The JSON of a schema with that of every definition that it refers to. */
  wholeText(schema: unknown): string;
  /** Notes a keyword that is left out. */
  onDropped(keyword: string): void;
  /** Notes that the schema knows less of which properties were evaluated. */
  onLessEvaluated(): void;
  /** `unevaluatedProperties` is left out, and what is always valid may not be simplified. */
  readonly evaluation: "unused" | "used" | "lost";
}

/** The state of one schema while its keywords are reduced one after the other. */
export interface Reduction {
  readonly source: JsonObject;
  readonly options: ReduceOptions;
  /** Reduces a schema inside this one that is asked of the same object. */
  reduce(schema: JsonObject): Reduced;
  /** The keywords of the result. */
  readonly written: JsonObject;
  /** What is asked beside the keywords that are written. */
  readonly also: JsonObject[];
  /** Names that are required because of a fixed property. */
  readonly required: Set<string>;
  /** Whether the result asks the same as the source. */
  isExact: boolean;
  /** False if a pattern is left out: `additionalProperties` would apply to what the pattern matched. */
  keepsAdditional: boolean;
}

/** Reduces one keyword. @returns why no object is valid, if none is */
export type ReduceKeyword = (reduction: Reduction, value: unknown) => string | undefined;

export function isImpossible(reduced: Reduced): reduced is Impossible {
  return "impossible" in reduced;
}

/** Leaves a keyword out of the result, which then asks less than the source. */
export function leaveOut(reduction: Reduction, keyword: string): void {
  reduction.isExact = false;
  reduction.options.onDropped(keyword);
}

/** Asks for a reduced schema too. @returns why no object is valid, if none is */
export function askAlso(reduction: Reduction, reduced: Reduced): string | undefined {
  if (isImpossible(reduced)) return reduced.impossible;
  reduction.isExact &&= reduced.isExact;
  reduction.also.push(reduced.node);
  return undefined;
}
