import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import { resolveFragment } from "../../../json/pointer.ts";

/** Finds what references lead to, as JSON Schema 2020-12 has them. */
export interface FindSchema {
  /** By a JSON Pointer, the `$anchor` of a schema, or its `$id` as it is written; undefined if it leads nowhere. */
  (reference: string): unknown;
  /** Whether a `$dynamicRef` always leads to the same schema: only one has the name. */
  isStatic(reference: string): boolean;
}

export function createFindSchema(root: JsonObject): FindSchema {
  let names: ReadonlyMap<string, readonly JsonObject[]> | undefined;
  const named = (reference: string): readonly JsonObject[] => {
    // Few documents have names: they are collected when a reference first needs one.
    names ??= collectNames(root);
    return names.get(reference) ?? [];
  };
  const find = (reference: string): unknown =>
    reference === "#" || reference.startsWith("#/") ? resolveFragment(root, reference) : named(reference)[0];
  return Object.assign(find, { isStatic: (reference: string) => named(reference).length < 2 });
}

/** Members that contain values: a `$anchor` in them names nothing. */
const data = new Set(["example", "examples", "default", "const", "enum"]);

function collectNames(root: JsonObject): ReadonlyMap<string, readonly JsonObject[]> {
  const names = new Map<string, JsonObject[]>();
  const add = (name: unknown, prefix: string, schema: JsonObject): void => {
    if (typeof name !== "string" || name === "") return;
    const before = names.get(prefix + name);
    if (before === undefined) names.set(prefix + name, [schema]);
    else before.push(schema);
  };
  const waiting: unknown[] = [root];
  // An alias of YAML makes one object of two places.
  const seen = new Set<unknown>();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    if (isJsonObject(node)) {
      add(node["$anchor"], "#", node);
      add(node["$dynamicAnchor"], "#", node);
      add(node["$id"], "", node);
    }
    for (const [key, member] of Object.entries(node)) {
      if (typeof member === "object" && !data.has(key)) waiting.push(member);
    }
  }
  return names;
}
