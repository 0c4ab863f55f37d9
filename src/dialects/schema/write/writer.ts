import type { JsonObject } from "../../../json/object.ts";
import type { Lose } from "../losses.ts";
import type { Merge } from "../merge.ts";
import type { ModernSchema } from "../../../schema/modern.ts";
import type { Shape, WrittenProfile } from "../profiles.ts";

/** How much may be written, and how far what refers to itself is followed. */
export interface Bounds {
  readonly nodes: number;
  /** Levels of a definition inside itself. */
  readonly unroll: number;
  /** Levels of references that are written out. */
  readonly references: number;
  /** What is over is cut short. */
  readonly cut?: boolean;
}

/** What was followed to a place. */
export interface Expansion {
  /** How often each definition has been written out around it. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many references were followed, one inside the other. */
  readonly levels: number;
}

/** More would be written than the bounds allow. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Where a schema is written. */
export interface Place {
  readonly path: string;
  readonly within: Expansion;
  readonly isRoot: boolean;
}

/** A schema with what it refers to, and what else holds for the same value, in one piece. */
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
  /** Tells where a schema comes from that was made of another. */
  readonly derive: (made: JsonObject, from: JsonObject) => JsonObject;
  /** JSON Pointer to where a schema stood, or what it was made of. */
  readonly pathOf: (node: JsonObject) => string | undefined;
  /** @param whole: a reference alone is followed too */
  settle(source: JsonObject, place: Place, whole?: boolean): ResolvedNode;
  /** Settles what is changed then, and written in another place. */
  settleApart(source: JsonObject, place: Place, change: (node: JsonObject) => JsonObject): JsonObject;
  write(source: JsonObject, place: Place): JsonObject;
  /** Writes the definitions that were referred to. */
  writeDefinitions(): JsonObject;
  wireName(key: string, place: Place): string;
  refuse(place: Place, message: string): never;
}

export const rootPlace: Place = { path: "", within: { counts: new Map(), levels: 0 }, isRoot: true };
