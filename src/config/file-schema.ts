import { isJsonObject, type JsonObject } from "../json/object.ts";
import { type Check, createCheck } from "../schema/check.ts";
import { ownFormats } from "./own-formats.ts";
import schema from "./toolhost.schema.json" with { type: "json" };

/** The schema of `toolhost.yaml` as it is published: for a file in which `${NAME}` is not replaced yet. */
export const publishedSchema: JsonObject = schema;

const variable = "#/$defs/variable";

/** The checks of the last files, by their keys: a file that is read again mostly has the keys that it had. */
const recentChecks = new Map<string, Check>();
const maxRecentChecks = 4;

/** @returns the check of a file, in which every `${NAME}` is replaced */
export function checkOfFile(value: unknown): Check {
  const keys = keysOf(value);
  const name = JSON.stringify([...keys].toSorted());
  const check = recentChecks.get(name) ?? createFileCheck(keys);
  recentChecks.delete(name);
  recentChecks.set(name, check);
  const [oldest] = recentChecks.keys();
  if (recentChecks.size > maxRecentChecks && oldest !== undefined) recentChecks.delete(oldest);
  return check;
}

function createFileCheck(keys: ReadonlySet<string>): Check {
  const formats = Object.entries(ownFormats).map(([name, { accepts }]) => [name, accepts] as const);
  const schema = fitTo(publishedSchema, keys) as JsonObject;
  return createCheck(schema, { ownFormats: Object.fromEntries(formats), once: true });
}

/**
 * The schema for one file. Leaves out the alternative that an editor needs for a text with `${NAME}`, and what it says of
 * keys that are not in the file: to compile all of it takes tens of milliseconds of each start.
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
function keysOf(root: unknown): Set<string> {
  const keys = new Set<string>();
  const values = [root];
  // The list grows on the way.
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value)) for (const key of Object.keys(value)) if (knownKeys.has(key)) keys.add(key);
    for (const member of Object.values(value)) values.push(member);
  }
  return keys;
}

const knownKeys = namesOf(publishedSchema, new Set());

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
