import { isJsonObject, type JsonObject, listOf } from "../../json/object.ts";
import { subschemas } from "../../schema/walk.ts";
import type { ModernSchema } from "../../schema/modern.ts";

/** Facts about the references between a schema's definitions. */
export interface References {
  /** Whether the definition refers back to itself. */
  isCyclic(name: string): boolean;
  /** Whether it refers back to itself through required places only. */
  isCyclicWhereRequired(name: string): boolean;
}

export function inspectReferences({ definitions }: ModernSchema): References {
  const all = new Map<string, ReadonlySet<string>>();
  const required = new Map<string, ReadonlySet<string>>();
  for (const [name, node] of definitions) {
    all.set(name, namesIn(node, false));
    required.set(name, namesIn(node, true));
  }
  const cyclic = remember((name) => reaches(name, name, all));
  const whereRequired = remember((name) => reaches(name, name, required));
  return { isCyclic: cyclic, isCyclicWhereRequired: whereRequired };
}

/** The definitions that a schema refers to; `requiredOnly`: those that are reached without an optional property. */
function namesIn(root: JsonObject, requiredOnly: boolean): Set<string> {
  const names = new Set<string>();
  const nodes = [root];
  // The list grows during the loop.
  for (const node of nodes) {
    if (typeof node["$ref"] === "string") names.add(node["$ref"]);
    const required = new Set(listOf<string>(node["required"]));
    for (const { schema, path, key } of subschemas(node)) {
      const isOptional = path.startsWith("/properties/") && !required.has(key);
      if (isJsonObject(schema) && !(requiredOnly && isOptional)) nodes.push(schema);
    }
  }
  return names;
}

function reaches(from: string, to: string, edges: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const seen = new Set<string>();
  const next = [from];
  for (const name of next) {
    for (const target of edges.get(name) ?? []) {
      if (target === to) return true;
      if (!seen.has(target)) next.push(target);
      seen.add(target);
    }
  }
  return false;
}

function remember(find: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const answer = known.get(name) ?? find(name);
    known.set(name, answer);
    return answer;
  };
}
