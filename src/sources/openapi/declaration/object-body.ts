import { isJsonObject, ownMember } from "../../../json/object.ts";
import type { Resolve } from "../document/resolve.ts";

/** The properties of a body that is an object, those of the members of its `allOf` included. */
export interface ObjectBody {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  readonly takesOthers: boolean;
}

const maxDepth = 16;

/**
 * @returns undefined if the properties cannot be arguments: the schema is not an object, or is a choice between several
 */
export function readObjectBody(schema: unknown, resolve: Resolve): ObjectBody | undefined {
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  let takesOthers = false;
  const isObject = join(schema, 0);
  return isObject && properties.size > 0 ? { properties, required, takesOthers } : undefined;

  function join(part: unknown, depth: number): boolean {
    const node = resolve(part);
    if (node === undefined || depth > maxDepth) return false;
    if (["oneOf", "anyOf", "not", "if", "patternProperties"].some((keyword) => keyword in node)) return false;
    if (node["nullable"] === true) return false;
    const { type, properties: own, additionalProperties: others, allOf } = node;
    if (type !== undefined && type !== "object") return false;
    if (Array.isArray(allOf) && !allOf.every((member) => join(member, depth + 1))) return false;
    if (isJsonObject(own)) {
      for (const [name, property] of Object.entries(own)) {
        if (ownMember(property, "required") === true) required.add(name);
        properties.set(name, properties.has(name) ? { allOf: [properties.get(name), property] } : property);
      }
    }
    for (const name of Array.isArray(node["required"]) ? node["required"] : []) {
      if (typeof name === "string") required.add(name);
    }
    if (others === true || isJsonObject(others)) takesOthers = true;
    return true;
  }
}
