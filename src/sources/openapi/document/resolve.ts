import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import type { FindSchema } from "./find-schema.ts";

/** A longer chain of references is a circle, or made to take time. */
export const maxHops = 32;

/** What a value of a document is after its references. */
export type Resolve = (value: unknown) => JsonObject | undefined;

/**
 * Follows local references. Undefined if one leads nowhere, to another document or back to itself.
 * Members beside a reference to something other than what the place needs are not joined here.
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
