import { isJsonObject } from "../../json/object.ts";
import type { JsonSchema } from "../json-schema.ts";
import { referenceOf } from "./tags.ts";

/**
 * Chooses among a union's branches by the keys of its value, if each branch requires a key that no other branch knows, as in
 * `{file}` or `{url}`.
 * @param schemas the branches
 * @returns the index of the branch, or undefined if the value has the own keys of none or of several
 */
export function branchOfKeys(schemas: readonly unknown[], value: unknown, root: JsonSchema): number | undefined {
  if (!isJsonObject(value)) return undefined;
  const branches = schemas.map((schema) => keysOf(schema, root));
  const own = branches.map(({ required }, index) =>
    required.filter((key) => branches.every(({ known }, other) => other === index || !known.has(key))),
  );
  if (own.some((keys) => keys.length === 0)) return undefined;
  const present = own.flatMap((keys, index) => (keys.some((key) => Object.hasOwn(value, key)) ? [index] : []));
  return present.length === 1 ? present[0] : undefined;
}

function keysOf(schema: unknown, root: JsonSchema): { required: readonly string[]; known: ReadonlySet<string> } {
  const node = isJsonObject(schema) ? (referenceOf(schema, root) ?? schema) : {};
  const { required, properties } = isJsonObject(node) ? node : {};
  const names = Array.isArray(required) ? required.filter((key) => typeof key === "string") : [];
  return { required: names, known: new Set([...names, ...(isJsonObject(properties) ? Object.keys(properties) : [])]) };
}
