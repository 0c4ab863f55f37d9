import { isJsonObject, type JsonObject } from "../json/object.ts";
import { type Check, createCheck } from "../schema/check.ts";
import { ownFormats } from "./own-formats.ts";
import { type EntryKinds, entryKindsOf, withEntriesByKind } from "./entry-kinds.ts";
import schema from "./toolhost.schema.json" with { type: "json" };

/** The schema of `toolhost.yaml` as it is published: for a file in which `${NAME}` is not replaced yet. */
export const publishedSchema: JsonObject = schema;

const variable = "#/$defs/variable";

/** How many checks are kept: a file that is read again usually has the same keys as before. */
const maxRecentChecks = 4;

/** A schema of the file, as its reader uses it. */
export interface FileSchema {
  readonly kinds: EntryKinds;
  /** @returns the check of a file, in which every `${NAME}` is replaced */
  checkOf(value: unknown): Check;
}

export const fileSchema = createFileSchema(publishedSchema);

export function createFileSchema(published: JsonObject): FileSchema {
  const kinds = entryKindsOf(published);
  const schema = withEntriesByKind(published, kinds);
  const knownKeys = namesOf(schema, new Set());
  const recentChecks = new Map<string, Check>();
  return {
    kinds,
    checkOf(value) {
      const keys = keysOf(value, knownKeys);
      const name = JSON.stringify([...keys].toSorted());
      const check = recentChecks.get(name) ?? createFileCheck(schema, keys);
      recentChecks.delete(name);
      recentChecks.set(name, check);
      const [oldest] = recentChecks.keys();
      if (recentChecks.size > maxRecentChecks && oldest !== undefined) recentChecks.delete(oldest);
      return check;
    },
  };
}

function createFileCheck(schema: JsonObject, keys: ReadonlySet<string>): Check {
  const formats = Object.entries(ownFormats).map(([name, { accepts }]) => [name, accepts] as const);
  return createCheck(fitTo(schema, keys) as JsonObject, { ownFormats: Object.fromEntries(formats), once: true });
}

/**
 * The schema for one file. Leaves out the alternative that an editor needs for a text with `${NAME}`, and the schemas
 * of keys that are not in the file: compiling everything would take tens of milliseconds at each start.
 */
function fitTo(node: unknown, keys: ReadonlySet<string>): unknown {
  if (Array.isArray(node)) return node.map((item) => fitTo(item, keys));
  if (!isJsonObject(node)) return node;
  const { properties, anyOf, ...others } = node;
  const isWithVariable = Array.isArray(anyOf) && anyOf.some(isVariable);
  const rest = Object.entries({
    ...others,
    ...(isWithVariable ? anyOf.find((each) => !isVariable(each)) : anyOf !== undefined && { anyOf }),
  }).map(([key, member]) => [key, fitTo(member, keys)] as const);
  if (!isJsonObject(properties)) return Object.fromEntries(rest);
  const fields = Object.entries(properties).map(([key, field]) => [key, !keys.has(key) || fitTo(field, keys)] as const);
  return { ...Object.fromEntries(rest), properties: Object.fromEntries(fields) };
}

/** @returns the keys of the file that the schema has too */
function keysOf(root: unknown, knownKeys: ReadonlySet<string>): Set<string> {
  const keys = new Set<string>();
  const values = [root];
  // The list grows during the loop.
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value)) for (const key of Object.keys(value)) if (knownKeys.has(key)) keys.add(key);
    for (const member of Object.values(value)) values.push(member);
  }
  return keys;
}

function namesOf(node: unknown, names: Set<string>): ReadonlySet<string> {
  if (typeof node !== "object" || node === null) return names;
  if (isJsonObject(node) && isJsonObject(node["properties"])) {
    for (const name of Object.keys(node["properties"])) names.add(name);
  }
  for (const member of Object.values(node)) namesOf(member, names);
  return names;
}

function isVariable(node: unknown): boolean {
  return isJsonObject(node) && node["$ref"] === variable;
}
