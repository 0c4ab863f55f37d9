import type { JsonObject, JsonSchema } from "../../src/index.ts";
import { isJsonObject } from "../../src/json/object.ts";

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const maxDepth = 6;

/** Makes a value that the schema probably accepts. It follows the common keywords; the caller checks what came. */
export function instanceOf(root: JsonSchema, random: Random): unknown {
  return make(root, 0);

  function make(schema: JsonSchema | undefined, depth: number): unknown {
    if (typeof schema !== "object") return random() < 0.5 ? "anything" : 1;
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return pick(schema["enum"], random);
    if (typeof schema["$ref"] === "string") return make(pointed(root, schema["$ref"]), depth + 1);
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = schema[keyword];
      if (!Array.isArray(branches)) continue;
      const { [keyword]: _, ...rest } = schema;
      return make(merge(rest, resolved(pick(branches as JsonSchema[], random))), depth + 1);
    }
    if (Array.isArray(schema["allOf"])) {
      const { allOf, ...rest } = schema;
      return make((allOf as JsonSchema[]).map(resolved).reduce(merge, rest), depth + 1);
    }
    switch (typeOf(schema)) {
      case "object":
        return makeObject(schema, depth);
      case "array":
        return makeArray(schema, depth);
      case "string":
        return makeString(schema);
      case "integer":
      case "number":
        return makeNumber(schema);
      case "boolean":
        return random() < 0.5;
      case "null":
        return null;
      default:
        return pick(["anything", 1, true, {}, []], random);
    }
  }

  function resolved(schema: JsonSchema): JsonSchema {
    if (typeof schema !== "object" || typeof schema["$ref"] !== "string") return schema;
    const { $ref, ...rest } = schema;
    return merge(rest, pointed(root, String($ref)) ?? {});
  }

  function typeOf(schema: JsonObject): unknown {
    if (Array.isArray(schema["type"])) return pick(schema["type"], random);
    if (schema["type"] !== undefined) return schema["type"];
    if ("properties" in schema || "required" in schema) return "object";
    if ("items" in schema) return "array";
    return "pattern" in schema || "minLength" in schema || "format" in schema ? "string" : undefined;
  }

  function makeObject(schema: JsonObject, depth: number): JsonObject {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const required = new Set(Array.isArray(schema["required"]) ? schema["required"].map(String) : []);
    const value: JsonObject = {};
    for (const key of new Set([...Object.keys(properties), ...required])) {
      const wanted = required.has(key) || (depth < maxDepth && random() < 0.5);
      if (wanted) value[key] = make(properties[key] as JsonSchema | undefined, depth + 1);
    }
    const more = schema["additionalProperties"];
    for (let i = Object.keys(value).length; i < Number(schema["minProperties"] ?? 0); i++)
      value[`more${i}`] = make(more as JsonSchema, depth + 1);
    if (isJsonObject(more) && random() < 0.5 && depth < maxDepth) value["more"] = make(more, depth + 1);
    return value;
  }

  function makeArray(schema: JsonObject, depth: number): unknown[] {
    const least = Number(schema["minItems"] ?? 0);
    const most = Math.min(Number(schema["maxItems"] ?? Infinity), least + (depth < maxDepth ? 2 : 0));
    const length = least + Math.floor(random() * (most - least + 1));
    const tuple = [schema["prefixItems"], schema["items"]].find(Array.isArray) as JsonSchema[] | undefined;
    const rest = Array.isArray(schema["items"]) ? schema["additionalItems"] : schema["items"];
    return Array.from({ length }, (_, i) => make(tuple?.[i] ?? (rest as JsonSchema | undefined), depth + 1));
  }

  function makeString(schema: JsonObject): string {
    const known = formats[String(schema["format"])];
    if (known !== undefined) return known;
    if (typeof schema["pattern"] === "string") {
      const pattern = new RegExp(schema["pattern"]);
      return samples.find((sample) => pattern.test(sample)) ?? "no sample";
    }
    const least = Number(schema["minLength"] ?? 0);
    return "text ü €"
      .repeat(Math.ceil((least + 1) / 8))
      .slice(0, Math.min(Number(schema["maxLength"] ?? 20), Math.max(least, 8)));
  }

  function makeNumber(schema: JsonObject): number {
    const step = Number(schema["multipleOf"] ?? (schema["type"] === "number" ? 0.25 : 1));
    const above = Number(
      schema["minimum"] ?? (schema["exclusiveMinimum"] === undefined ? NaN : Number(schema["exclusiveMinimum"]) + step),
    );
    const below = Number(
      schema["maximum"] ?? (schema["exclusiveMaximum"] === undefined ? NaN : Number(schema["exclusiveMaximum"]) - step),
    );
    const low = Number.isNaN(above) ? Math.min(0, Number.isNaN(below) ? 0 : below) : above;
    const high = Number.isNaN(below) ? low + 100 : below;
    return Math.ceil((low + random() * Math.min(high - low, 1e6)) / step - 0.5) * step;
  }
}

/** A copy with one thing changed: a value of another kind, a member more or less, an item more or less. */
export function mutantOf(value: unknown, random: Random): unknown {
  const holder = { root: structuredClone(value) };
  const places: Array<{ parent: JsonObject; key: string }> = [];
  visit(holder, "root");
  const { parent, key } = pick(places, random);
  const old = parent[key];
  const odd: readonly unknown[] = [
    null,
    0,
    -1,
    1.5,
    1e21,
    "",
    "x",
    "not one of these",
    true,
    [],
    [null],
    {},
    { toString: 1 },
    "2026-01-01",
  ];
  const roll = random();
  if (isJsonObject(old) && roll < 0.3) old[pick(["unknown", "constructor", "a/b", "__x"], random)] = pick(odd, random);
  else if (isJsonObject(old) && roll < 0.7 && Object.keys(old).length > 0) delete old[pick(Object.keys(old), random)];
  else if (Array.isArray(old) && roll < 0.5) old.push(pick(odd, random));
  else if (typeof old === "string" && roll < 0.3) parent[key] = old + old + "?";
  else if (typeof old === "number" && roll < 0.4) parent[key] = old * -1000.5;
  else parent[key] = pick(odd, random);
  return holder.root;

  function visit(parent: JsonObject, key: string): void {
    places.push({ parent, key });
    const at = parent[key];
    if (typeof at !== "object" || at === null) return;
    for (const inner of Object.keys(at)) visit(at as JsonObject, inner);
  }
}

const formats: Record<string, string> = {
  date: "2026-11-28",
  "date-time": "2026-11-28T10:00:00Z",
  email: "someone@example.test",
  time: "10:00:00Z",
  uri: "https://example.test/a",
  url: "https://example.test/a",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
};

const samples = [
  ..."abc ABC a-b 1 12 123 1234 123456 a1 a_b A1B2 #ff0000 2026-11-28 10:00 1.2.3 a.b a/b /a 1h -1d +15551234567".split(
    " ",
  ),
  ..."https://example.test/a 123e4567-e89b-42d3-a456-426614174000 a@b.test".split(" "),
  "0x" + "a".repeat(40),
  "a".repeat(24),
];

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T;
}

function pointed(root: JsonSchema, ref: string): JsonSchema | undefined {
  let at: unknown = root;
  for (const token of ref.split("/").slice(1))
    at = isJsonObject(at) ? at[decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  return at as JsonSchema | undefined;
}

function merge(a: JsonSchema, b: JsonSchema): JsonSchema {
  if (typeof a !== "object" || typeof b !== "object") return typeof a === "object" ? a : b;
  const list = (schema: JsonObject) => (Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
  const map = (schema: JsonObject) => (isJsonObject(schema["properties"]) ? schema["properties"] : {});
  const both = { ...a, ...b };
  if ("required" in both) both["required"] = [...list(a), ...list(b)];
  if ("properties" in both) both["properties"] = { ...map(a), ...map(b) };
  return both;
}
