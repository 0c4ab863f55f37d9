import { entriesOf, getOwn, type JsonObject, listOf, omit, setOwn } from "../../json/object.ts";
import { isNever, never } from "./never.ts";

/** Makes a schema that accepts what both accept. Keywords that cannot be combined go into its `allOf`. */
export type Merge = (first: JsonObject, second: JsonObject) => JsonObject;

type Combine = (first: never, second: never) => unknown;

const larger = (first: number, second: number): number => Math.max(first, second);
const smaller = (first: number, second: number): number => Math.min(first, second);
const union = (first: unknown[], second: unknown[]): unknown[] => [...new Set([...first, ...second])];

/** Keywords whose two values can be combined to one. Undefined: these two cannot. */
const combine: Readonly<Record<string, Combine>> = {
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  required: union,
  allOf: union,
  description: (first: string, second: string) => (first.includes(second) ? first : `${first} ${second}`),
  title: (first: unknown) => first,
  default: (first: unknown) => first,
  examples: (first: unknown) => first,
};

/** Keywords whose meaning depends on others next to them. They stay together. */
const groups = [
  ["if", "then", "else"],
  ["contains", "minContains", "maxContains"],
  ["properties", "patternProperties", "additionalProperties"],
  ["prefixItems", "items"],
];

/**
 * @param derive records the origin of a schema that was made from another
 * @param mayMerge counts merges; if it returns false, the two schemas are not combined
 */
export function createMerge(
  derive: (made: JsonObject, from: JsonObject) => JsonObject,
  mayMerge: (schemas: number) => boolean,
): Merge {
  return merge;

  function merge(first: JsonObject, second: JsonObject): JsonObject {
    if (isNever(first) || isNever(second)) return derive(never(), first);
    if (!mayMerge(1 + entriesOf(second["properties"]).length)) return besides(first, second);
    const merged = derive({ ...first }, first);
    let rest = second;
    // Only the schema itself knows what it has not evaluated.
    if (Object.keys(second).some((keyword) => keyword.startsWith("unevaluated"))) return besides(merged, second);
    for (const group of groups) {
      if (!has(merged, group) || !has(rest, group) || areEqual(pick(merged, group), pick(rest, group))) continue;
      const combined = group.includes("properties")
        ? mergeObjects(merged, rest)
        : group.includes("items")
          ? mergeItems(merged, rest)
          : undefined;
      if (combined === undefined) Object.assign(merged, besides(merged, pick(rest, group)));
      else Object.assign(merged, combined);
      rest = omit(rest, ...group);
    }
    for (const [keyword, value] of Object.entries(rest)) {
      const own = merged[keyword];
      if (own === undefined) setOwn(merged, keyword, value);
      else if (keyword === "type") merged["type"] = bothTypes(own, value);
      else if (!areEqual(own, value)) {
        const both = combine[keyword]?.(own as never, value as never);
        Object.assign(merged, both === undefined ? besides(merged, { [keyword]: value }) : { [keyword]: both });
      }
    }
    return isEmptyList(merged["type"]) ? derive(never(), first) : narrowValues(merged, derive);
  }

  function besides(node: JsonObject, other: JsonObject): JsonObject {
    return derive({ ...node, allOf: [...listOf(node["allOf"]), derive(other, node)] }, node);
  }

  function mergeObjects(first: JsonObject, second: JsonObject): JsonObject | undefined {
    const [one, two] = [first["additionalProperties"] ?? true, second["additionalProperties"] ?? true];
    const hasPatterns = has(first, ["patternProperties"]) || has(second, ["patternProperties"]);
    if (
      hasPatterns &&
      (one !== true || two !== true || has(first, ["patternProperties"]) === has(second, ["patternProperties"]))
    )
      return undefined;
    const properties: JsonObject = {};
    const [ours, theirs] = [
      first["properties"] as JsonObject | undefined,
      second["properties"] as JsonObject | undefined,
    ];
    for (const [key, schema] of entriesOf(ours)) {
      setOwn(properties, key, bothOf(schema, getOwn(theirs ?? {}, key) ?? two));
    }
    for (const [key, schema] of entriesOf(theirs)) {
      if (!Object.hasOwn(properties, key)) setOwn(properties, key, bothOf(schema, one));
    }
    const more = one === true ? two : bothOf(one, two);
    return {
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(more !== true && { additionalProperties: isNever(more) ? false : more }),
      ...(hasPatterns && { patternProperties: first["patternProperties"] ?? second["patternProperties"] }),
    };
  }

  function mergeItems(first: JsonObject, second: JsonObject): JsonObject | undefined {
    if (has(first, ["prefixItems"]) || has(second, ["prefixItems"])) return undefined;
    return { items: merge(first["items"] as JsonObject, second["items"] as JsonObject) };
  }

  function bothOf(first: unknown, second: unknown): JsonObject {
    if (first === true) return second as JsonObject;
    if (second === true) return first as JsonObject;
    if (first === false || second === false) return never();
    return merge(first as JsonObject, second as JsonObject);
  }
}

/** Combines `enum` and `const` that apply to the same value, also in `allOf`. */
function narrowValues(node: JsonObject, derive: (made: JsonObject, from: JsonObject) => JsonObject): JsonObject {
  const others = listOf(node["allOf"]).filter((member) =>
    Object.keys(member).every((key) => key === "enum" || key === "const"),
  );
  const all = [node, ...others].flatMap((member) => [
    ...("const" in member ? [[member["const"]]] : []),
    ...(Array.isArray(member["enum"]) ? [member["enum"] as unknown[]] : []),
  ]);
  if (all.length < 2) return node;
  const allowed = all.slice(1).reduce((left, values) => {
    const texts = new Set(values.map((value) => JSON.stringify(value)));
    return left.filter((value) => texts.has(JSON.stringify(value)));
  }, all[0] ?? []);
  if (allowed.length === 0) return derive(never(), node);
  const left = listOf(node["allOf"]).filter((member) => !others.includes(member));
  const rest = omit(node, "const", "enum", "allOf");
  const values = allowed.length === 1 ? { const: allowed[0] } : { enum: allowed };
  return derive({ ...rest, ...values, ...(left.length > 0 && { allOf: left }) }, node);
}

function bothTypes(first: unknown, second: unknown): unknown {
  const [ours, theirs] = [[first].flat(), [second].flat()];
  const types = ours.filter((type) => theirs.includes(type) || (type === "integer" && theirs.includes("number")));
  if (ours.includes("number") && !theirs.includes("number") && theirs.includes("integer")) types.push("integer");
  return types.length === 1 ? types[0] : types;
}

function has(node: JsonObject, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => Object.hasOwn(node, keyword));
}

function pick(node: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([keyword]) => keywords.includes(keyword)));
}

function areEqual(first: unknown, second: unknown): boolean {
  return first === second || JSON.stringify(first) === JSON.stringify(second);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
