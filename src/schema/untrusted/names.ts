import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { subschemas } from "../walk.ts";

/** These change the meaning of a reference. */
const naming = new Set(["$id", "$anchor", "$dynamicAnchor"]);

/**
 * Ensures that ajv resolves each reference as its text says. ajv also finds names below unknown keywords, so names
 * below the root are refused, except in values such as those of `enum`.
 * @returns every object in those values: they may contain names, so references must not point into them
 * @throws Error if there is a name below the root
 */
export function checkNames(root: JsonObject): ReadonlySet<unknown> {
  const values = new Set<unknown>();
  visit(root, new Set([root]));
  return values;

  /** @param schemas its objects that are schemas by their place: `default` may also be the name of a property */
  function visit(node: unknown, schemas: ReadonlySet<unknown>): void {
    if (typeof node !== "object" || node === null) return;
    const isSchema = isJsonObject(node) && schemas.has(node);
    const inner = isSchema ? new Set([...subschemas(node)].map((child) => child.schema)) : schemas;
    for (const [key, member] of Object.entries(node)) {
      if (node !== root && naming.has(key) && typeof member === "string") {
        throw new Error(`"${key}" below the root is not supported in a schema that is not trusted`);
      }
      if (isSchema && holdsValues(key, member)) collect(member);
      else visit(member, inner);
    }
  }

  function collect(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    values.add(value);
    for (const member of Object.values(value)) collect(member);
  }
}

/** Keywords that ajv skips too. Not `example`: ajv reads its value as a schema. */
function holdsValues(keyword: string, value: unknown): boolean {
  if (keyword === "examples") return Array.isArray(value);
  return keyword === "const" || keyword === "default" || keyword === "enum";
}
