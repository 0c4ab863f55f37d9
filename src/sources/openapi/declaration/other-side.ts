import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import { maxHops, type Resolve } from "../document/resolve.ts";

/** Which side of an exchange a schema is for: a request has no `readOnly` properties, an answer no `writeOnly` ones. */
export type Side = "request" | "response";

/**
 * Whether a property is only for the other side: by itself, by what it refers to or by a member of its `allOf`. A choice
 * does not say it for certain. Each schema is looked at once.
 */
export function createIsOtherSide(side: Side, resolve: Resolve): (property: unknown) => boolean {
  const mark = side === "request" ? "readOnly" : "writeOnly";
  const known = new Map<JsonObject, boolean>();

  function isOther(schema: unknown, depth: number): boolean {
    if (!isJsonObject(schema) || depth > maxHops) return false;
    const before = known.get(schema);
    if (before !== undefined) return before;
    // For a circle.
    known.set(schema, false);
    const { allOf } = schema;
    const found =
      schema[mark] === true ||
      (typeof schema["$ref"] === "string" && isOther(resolve(schema), depth + 1)) ||
      (Array.isArray(allOf) && allOf.some((member) => isOther(member, depth + 1)));
    known.set(schema, found);
    return found;
  }
  return (property) => isOther(property, 0);
}
