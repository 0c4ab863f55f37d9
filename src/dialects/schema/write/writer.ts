import type { JsonObject } from "../../../json/object.ts";
import type { Lose } from "../losses.ts";
import type { Merge } from "../merge.ts";
import type { ModernSchema } from "../../../schema/modern.ts";
import type { Shape, WrittenProfile } from "../profile.ts";

/** How much may be written, and how far recursive schemas are followed. */
export interface Bounds {
  readonly nodes: number;
  /** Maximum nesting of a definition inside itself. */
  readonly unroll: number;
  /** Maximum levels of references that are expanded. */
  readonly references: number;
  /** Whether a schema beyond the bounds is cut. */
  readonly cut?: boolean;
}

/** The references that were followed to a place. */
export interface Expansion {
  /** How often each definition has been expanded around it. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of nested references that were followed. */
  readonly levels: number;
}

/** The output would exceed the bounds. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Where a schema is written. */
export interface Place {
  readonly path: string;
  readonly within: Expansion;
  readonly isRoot: boolean;
}

/** A schema merged with its references and all other schemas that apply to the same value. */
export interface ResolvedNode {
  readonly node: JsonObject;
  readonly place: Place;
}

export interface Writer {
  readonly profile: WrittenProfile;
  readonly shape: Shape;
  readonly modern: ModernSchema;
  readonly lose: Lose;
  readonly merge: Merge;
  /** Records the origin of a schema that was made from another. */
  readonly derive: (made: JsonObject, from: JsonObject) => JsonObject;
  /** JSON Pointer to the schema in the source, or to its origin. */
  readonly pathOf: (node: JsonObject) => string | undefined;
  /** @param whole whether a schema that is only a reference is followed too */
  settle(source: JsonObject, place: Place, whole?: boolean): ResolvedNode;
  /** Settles a schema that is then changed and written in another place. */
  settleApart(source: JsonObject, place: Place, change: (node: JsonObject) => JsonObject): JsonObject;
  write(source: JsonObject, place: Place): JsonObject;
  /** Writes the definitions that were referred to. */
  writeDefinitions(): JsonObject;
  wireName(key: string, place: Place): string;
  refuse(place: Place, message: string): never;
}

export const rootPlace: Place = { path: "", within: { counts: new Map(), levels: 0 }, isRoot: true };
