import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import type { FindSchema } from "./find-schema.ts";

/** A longer chain of references is a circle, or made to take time. */
export const maxHops = 32;

/** A value of a document after its references are followed. */
export type Resolve = (value: unknown) => JsonObject | undefined;

/**
 * Follows local references. Undefined if one has no target, leads to another document or back
 * to itself. Members next to a reference are not merged here.
 */
export function createResolve(find: FindSchema): Resolve {
  return (value) => {
    let node = value;
    for (let hops = 0; hops < maxHops; hops++) {
      if (!isJsonObject(node)) return undefined;
      const reference = node["$ref"];
      if (typeof reference !== "string") return node;
      node = find(reference);
    }
    return undefined;
  };
}

/**
 * Resolves at most this many values, and none after that: references let a short document describe a walk without end.
 */
export function limitResolve(resolve: Resolve, mostValues = 10_000): Resolve {
  let left = mostValues;
  return (value) => (left-- > 0 ? resolve(value) : undefined);
}
