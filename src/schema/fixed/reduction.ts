import type { JsonObject } from "../../json/object.ts";
import type { FixedProperties } from "./fixed-properties.ts";

/** The requirements of a schema for the rest of an object, if some of its properties are fixed. */
export type Reduced = Possible | Impossible;

export interface Possible {
  readonly node: JsonObject;
  /**
   * Whether it requires the same as the source. Otherwise it requires less: the missing requirements depend on unknown
   * values.
   */
  readonly isExact: boolean;
}

/** No object is valid; the reason contains no value. */
export interface Impossible {
  readonly impossible: string;
}

/** The parts of the whole schema that the reduction needs. The schema is in 2020-12 with bare names as references. */
export interface ReduceOptions {
  readonly fixed: FixedProperties;
  /** Whether a schema of the source accepts a value. */
  accepts(schema: unknown, value: unknown): boolean;
  /** Reduces a definition, once. @returns a reference to it */
  reduceDefinition(name: string): Reduced;
  /** The JSON of a schema with that of every definition that it refers to. */
  wholeText(schema: unknown): string;
  /** Records a keyword that is left out. */
  onDropped(keyword: string): void;
  /** Records that the schema knows less about the evaluated properties. */
  onLessEvaluated(): void;
  /** `unevaluatedProperties` is left out, and a schema that is always valid must not be simplified. */
  readonly evaluation: "unused" | "used" | "lost";
}

/** The state of one schema while its keywords are reduced one after the other. */
export interface Reduction {
  readonly source: JsonObject;
  readonly options: ReduceOptions;
  /** Reduces a schema inside this one that applies to the same object. */
  reduce(schema: JsonObject): Reduced;
  /** The keywords of the result. */
  readonly written: JsonObject;
  /** Schemas that must match in addition to the written keywords. */
  readonly also: JsonObject[];
  /** Names that a fixed property makes required. */
  readonly required: Set<string>;
  /** Whether the result requires the same as the source. */
  isExact: boolean;
  /** False if a pattern is left out: `additionalProperties` would apply to what the pattern matched. */
  keepsAdditional: boolean;
}

/** Reduces one keyword. @returns why no object is valid, if none is */
export type ReduceKeyword = (reduction: Reduction, value: unknown) => string | undefined;

export function isImpossible(reduced: Reduced): reduced is Impossible {
  return "impossible" in reduced;
}

/** Leaves a keyword out of the result, which then requires less than the source. */
export function leaveOut(reduction: Reduction, keyword: string): void {
  reduction.isExact = false;
  reduction.options.onDropped(keyword);
}

/** Adds a reduced schema that must match too. @returns why no object is valid, if none is */
export function askAlso(reduction: Reduction, reduced: Reduced): string | undefined {
  if (isImpossible(reduced)) return reduced.impossible;
  reduction.isExact &&= reduced.isExact;
  reduction.also.push(reduced.node);
  return undefined;
}
