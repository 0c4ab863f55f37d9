import { entriesOf, getOwn, type JsonObject, listOf } from "../../../json/object.ts";
import { typesOf } from "./types.ts";

/** Whether it is obvious that two of the branches cannot accept the same value. */
export function areDisjoint(branches: readonly JsonObject[], definitions: ReadonlyMap<string, JsonObject>): boolean {
  const followed = branches.map((branch) => follow(branch, definitions));
  return haveDisjointTypes(followed) || haveDisjointValues(followed) || haveTag(followed, definitions);
}

function follow(branch: JsonObject, definitions: ReadonlyMap<string, JsonObject>): JsonObject {
  return typeof branch["$ref"] === "string" ? (definitions.get(branch["$ref"]) ?? {}) : branch;
}

function haveDisjointTypes(branches: readonly JsonObject[]): boolean {
  const types = branches.map((branch) => typesOf(branch)?.map((type) => (type === "integer" ? "number" : type)));
  return areSetsDisjoint(types);
}

function haveDisjointValues(branches: readonly JsonObject[]): boolean {
  return areSetsDisjoint(branches.map(valuesOf));
}

/** Whether all of them require one property, for which each allows other values. */
function haveTag(branches: readonly JsonObject[], definitions: ReadonlyMap<string, JsonObject>): boolean {
  const [first, ...others] = branches;
  if (first === undefined || branches.some(({ type }) => type !== "object")) return false;
  return entriesOf(first["properties"]).some(([key, schema]) => {
    if (valuesOf(follow(schema, definitions)) === undefined) return false;
    return areSetsDisjoint(
      [first, ...others].map((branch) => {
        const tag = getOwn((branch["properties"] ?? {}) as JsonObject, key) as JsonObject | undefined;
        const isRequired = listOf<string>(branch["required"]).includes(key);
        return isRequired && tag !== undefined ? valuesOf(follow(tag, definitions)) : undefined;
      }),
    );
  });
}

function valuesOf(schema: JsonObject): string[] | undefined {
  const values = "const" in schema ? [schema["const"]] : schema["enum"];
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : undefined;
}

function areSetsDisjoint(sets: readonly (readonly string[] | undefined)[]): boolean {
  const seen = new Set<string>();
  for (const set of sets) {
    if (set === undefined || set.some((value) => seen.has(value))) return false;
    for (const value of set) seen.add(value);
  }
  return true;
}
