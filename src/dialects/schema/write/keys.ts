import { createHash } from "node:crypto";
import { entriesOf, type JsonObject, listOf } from "../../../json/object.ts";
import { subschemas } from "../../../schema/walk.ts";
import type { ModernSchema } from "../../../schema/modern.ts";

/** The keys of properties that have another name on the wire. */
export type WireKeys = ReadonlyMap<string, string>;

const none: WireKeys = new Map();
const longest = 64;

/** The names that replace a schema's keys in declarations, and that are reverted in calls. */
export function wireKeysOf({ root, definitions }: ModernSchema, pattern: RegExp): WireKeys {
  return nameKeys(keysIn([root, ...definitions.values()]), pattern);
}

/**
 * Names for the keys that a provider refuses. They depend only on the keys of the schema, not on their order: a key
 * whose plain replacement is taken, or used twice, gets the hash of its name.
 */
function nameKeys(keys: ReadonlySet<string>, pattern: RegExp): WireKeys {
  const refused = [...keys].filter((key) => !pattern.test(key)).toSorted();
  if (refused.length === 0) return none;
  const wanted = new Map(refused.map((key) => [key, plainName(key)]));
  const counts = new Map<string, number>();
  for (const name of wanted.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const used = new Set(keys);
  const named = new Map<string, string>();
  for (const [key, name] of wanted) {
    let wire = counts.get(name) === 1 && !used.has(name) ? name : hashedName(key, name);
    while (used.has(wire)) wire = hashedName(wire, name);
    used.add(wire);
    named.set(key, wire);
  }
  return named;
}

function plainName(key: string): string {
  const word = key
    .normalize("NFKD")
    .replace(/[^a-zA-Z0-9_]+/g, "_")
    .slice(0, longest);
  return /^[a-zA-Z_]/.test(word) ? word : `_${word}`.slice(0, longest);
}

function hashedName(key: string, name: string): string {
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return `${name.slice(0, longest - 9)}_${hash}`;
}

/** Every key of a property that the schemas name, at any depth. */
function keysIn(schemas: Iterable<JsonObject>): Set<string> {
  const keys = new Set<string>();
  const nodes = [...schemas];
  // The list grows during the loop.
  for (const node of nodes) {
    for (const keyword of ["properties", "dependentSchemas", "dependentRequired"]) {
      for (const [key] of entriesOf(node[keyword])) keys.add(key);
    }
    for (const key of listOf<string>(node["required"])) keys.add(key);
    for (const { schema } of subschemas(node)) if (typeof schema === "object") nodes.push(schema);
  }
  return keys;
}
