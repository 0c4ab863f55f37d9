import { isJsonObject, type JsonObject, setOwn } from "../../../json/object.ts";

/**
 * Follows merge keys, which YAML 1.1 has and many documents use: `<<: *defaults`, or a list of such objects. Own members
 * are kept, and of several objects the first has a member. https://yaml.org/type/merge.html
 * @param value of a YAML document: a tree with few levels, in which aliases are the same object
 */
export function followMergeKeys(value: unknown): unknown {
  const followed = new Map<object, unknown>();
  return follow(value);

  function follow(each: unknown): unknown {
    if (typeof each !== "object" || each === null) return each;
    if (!followed.has(each)) followed.set(each, Array.isArray(each) ? each.map(follow) : followMembers(each));
    return followed.get(each);
  }

  function followMembers(object: object): JsonObject {
    const members = Object.entries(object).map(([key, member]): [string, unknown] => [key, follow(member)]);
    const merged: JsonObject = {};
    for (const [key, member] of members) {
      const sources = key === "<<" ? sourcesOf(member) : undefined;
      if (sources === undefined) setOwn(merged, key, member);
      for (const source of sources ?? []) {
        for (const [name, given] of Object.entries(source)) {
          if (!Object.hasOwn(object, name) && !Object.hasOwn(merged, name)) setOwn(merged, name, given);
        }
      }
    }
    return merged;
  }
}

function sourcesOf(value: unknown): readonly JsonObject[] | undefined {
  const sources: unknown[] = Array.isArray(value) ? value : [value];
  return sources.every(isJsonObject) ? sources : undefined;
}
