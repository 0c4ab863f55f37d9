import { isObject } from "./breach.ts";
import { requiredNames, schemaNodes, subschemas } from "./schema-nodes.ts";

/** What a `$ref` points at: providers know JSON Pointers from the root, and neither anchors nor other documents. */
export function resolve(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return undefined;
  let target: unknown = root;
  for (const step of reference
    .slice(2)
    .split("/")
    .slice(reference === "#" ? 1 : 0)) {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!(isObject(target) || Array.isArray(target)) || !Object.hasOwn(target, key)) return undefined;
    target = (target as Record<string, unknown>)[key];
  }
  return isObject(target) || typeof target === "boolean" ? target : undefined;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/**
 * Whether a schema contains itself.
 * @param through `any`: by whatever way; `required`: by a way that no value can leave out
 */
export function isRecursive(root: unknown, through: "any" | "required"): boolean {
  const state = new Map<object, "open" | "closed">();
  const leadsBack = (schema: unknown): boolean => {
    if (!isObject(schema)) return false;
    const seen = state.get(schema);
    if (seen !== undefined) return seen === "open";
    state.set(schema, "open");
    const found = next(schema).some(leadsBack);
    state.set(schema, "closed");
    return found;
  };
  const next = (schema: Record<string, unknown>): unknown[] => [
    ...(Object.hasOwn(schema, "$ref") ? [resolve(root, schema["$ref"])] : []),
    ...subschemas(schema)
      .filter(({ keyword }) => keyword !== "$defs" && keyword !== "definitions")
      .filter(({ keyword, steps }) => {
        const name = steps[1] ?? "";
        return through === "any" || keyword !== "properties" || requiredNames(schema).includes(name);
      })
      .map(({ value }) => value),
  ];
  return schemaNodes(root).some(({ value }) => leadsBack(value));
}
