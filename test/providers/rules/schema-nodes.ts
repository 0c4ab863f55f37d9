import { isObject, type Json } from "./breach.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

// How the keywords of JSON Schema 2020-12, and of older drafts, hold schemas.
const maps = words("properties patternProperties dependentSchemas $defs definitions");
const lists = words("prefixItems anyOf oneOf allOf items");
const singles = words(
  "items additionalProperties additionalItems unevaluatedProperties unevaluatedItems propertyNames contains not if then else",
);

/** A place where a schema stands. What is inside `enum`, `const`, `default` or `examples` is a value, and no such place. */
export interface SchemaNode {
  /** An object of keywords, a boolean, or what should have been one. */
  readonly value: unknown;
  /** `value` where it is an object; else no keywords at all. */
  readonly schema: Json;
  readonly steps: readonly string[];
  /** The keyword that holds it, `""` at the root. */
  readonly keyword: string;
  /** How many object schemas stand around it, itself counted. */
  readonly level: number;
  readonly root: unknown;
}

/** The schemas directly inside one. */
export function subschemas(schema: Json): { keyword: string; steps: string[]; value: unknown }[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (lists.has(keyword) && Array.isArray(value)) return within(keyword, Object.entries(value));
    if (maps.has(keyword) && isObject(value)) return within(keyword, Object.entries(value));
    if (singles.has(keyword)) return [{ keyword, steps: [keyword], value }];
    return [];
  });
}

function within(keyword: string, entries: readonly [string, unknown][]) {
  return entries.map(([name, value]) => ({ keyword, steps: [keyword, name], value }));
}

/** Every place of a schema, from the root down. */
export function schemaNodes(root: unknown): SchemaNode[] {
  const nodes: SchemaNode[] = [];
  const open: Omit<SchemaNode, "schema">[] = [{ value: root, steps: [], keyword: "", level: 0, root }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const schema = isObject(next.value) ? next.value : {};
    const { steps } = next;
    const level = next.level + (typesOf(schema).includes("object") ? 1 : 0);
    nodes.push({ ...next, level, schema });
    const inside = subschemas(schema).map((child) => ({ ...child, steps: [...steps, ...child.steps], level, root }));
    open.push(...inside.toReversed());
  }
  return nodes;
}

/** `type` as a list, in small letters. */
export function typesOf(schema: Json): string[] {
  const type = schema["type"];
  const listed: unknown[] = Array.isArray(type) ? type : [type];
  return listed.filter((name) => typeof name === "string").map((name) => name.toLowerCase());
}

/** The names under `properties`. */
export function propertyNames(schema: Json): string[] {
  return isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
}

/** The names under `required`. */
export function requiredNames(schema: Json): string[] {
  const required = schema["required"];
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

export function pointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
