import type { JsonObject, JsonSchema } from "../../../src/index.ts";

/** A schema that was made to hold up whoever checks against it, and the value that it was made for. */
export interface Bomb {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
}

const repeat = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const members = (count: number, make: (index: number) => unknown): JsonObject =>
  Object.fromEntries(repeat(count, (i) => [`k${i}`, make(i)]));
const nest = (depth: number, wrap: (inner: unknown) => unknown, inner: unknown): unknown =>
  depth === 0 ? inner : wrap(nest(depth - 1, wrap, inner));

const deep = nest(60, (a) => ({ a }), {});
const megabyte = 1_000_000;
const manyKeys = members(80_000, () => 1);
const letters = repeat(megabyte, (i) => (Math.imul(i ^ 0x5bd1e995, 0x9e3779b1) & 4096 ? "a" : "b")).join("");
const multiplying = (combine: string, levels: number): JsonObject => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    repeat(levels, (i) => [
      `d${i}`,
      i === levels - 1 ? { type: "string" } : { [combine]: repeat(4, () => ({ $ref: `#/$defs/d${i + 1}` })) },
    ]),
  ),
});

export const bombs: readonly Bomb[] = [
  { name: "allOf of four references, 15 levels", schema: multiplying("allOf", 15), value: "a" },
  { name: "anyOf of four references, 15 levels", schema: multiplying("anyOf", 15), value: 1 },
  { name: "oneOf of four references, 15 levels", schema: multiplying("oneOf", 15), value: "a" },
  {
    name: "anyOf that meets itself at each level of the value",
    schema: {
      $ref: "#/$defs/n",
      $defs: { n: { anyOf: repeat(3, (i) => ({ properties: { a: { $ref: "#/$defs/n" } }, required: [`no${i}`] })) } },
    },
    value: deep,
  },
  {
    name: "oneOf that meets itself at each level of the value",
    schema: { oneOf: [{ properties: { a: { $ref: "#" } } }, { properties: { a: { $ref: "#" } }, minProperties: 0 }] },
    value: deep,
  },
  {
    name: "if, then and else that each go down",
    schema: {
      if: { properties: { a: { $ref: "#" } } },
      then: { properties: { a: { $ref: "#" } } },
      else: { not: { properties: { a: { $ref: "#" } } } },
    },
    value: deep,
  },
  {
    name: "not of not of itself below",
    schema: { not: { not: { properties: { a: { allOf: [{ $ref: "#" }, { $ref: "#" }] } } } } },
    value: deep,
  },
  {
    name: "240 branches over 50,000 items",
    schema: { type: "array", items: { anyOf: repeat(240, (i) => ({ const: `c${i}` })) } },
    value: repeat(50_000, () => "x"),
  },
  {
    name: "120 contains over 50,000 items",
    schema: { allOf: repeat(120, (i) => ({ contains: { const: i } })) },
    value: repeat(100_000, () => 7.5),
  },
  {
    name: "contains that holds for all, counted",
    schema: { allOf: repeat(120, () => ({ contains: { type: "number" }, maxContains: 1e9 })) },
    value: repeat(100_000, () => 1),
  },
  {
    name: "contains of a reference over 100,000 items",
    schema: { contains: { $ref: "#/$defs/a" }, $defs: { a: { type: "string", maxLength: 5 } } },
    value: repeat(100_000, () => 1),
  },
  { name: "uniqueItems of 100,000 numbers", schema: { uniqueItems: true }, value: repeat(100_000, (i) => i) },
  {
    name: "uniqueItems of 20,000 objects",
    schema: { uniqueItems: true },
    value: repeat(20_000, (i) => ({ a: { b: [i] }, c: "x" })),
  },
  {
    name: "uniqueItems 240 times over",
    schema: { allOf: repeat(240, () => ({ uniqueItems: true })) },
    value: repeat(20_000, (i) => ({ a: { b: [i] }, c: "x" })),
  },
  {
    name: "enum of 2,000 objects over 20,000 items",
    schema: { items: { enum: repeat(2000, (i) => ({ a: 1, b: 2, c: -i })) } },
    value: repeat(20_000, (i) => ({ a: 1, b: 2, c: i })),
  },
  {
    name: "enum of 2,000 strings over 100,000 items",
    schema: { items: { enum: repeat(2000, (i) => `v${i}`) } },
    value: repeat(100_000, (i) => `v${i % 2000}`),
  },
  {
    name: "95 patternProperties over 80,000 keys",
    schema: { patternProperties: Object.fromEntries(repeat(95, (i) => [`^k[0-9]*${i}$`, { type: "number" }])) },
    value: manyKeys,
  },
  {
    name: "propertyNames with a pattern over 80,000 keys",
    schema: { propertyNames: { pattern: "^(k|k)+[0-9]*$", maxLength: 9 } },
    value: manyKeys,
  },
  {
    name: "240 times minProperties over 80,000 keys",
    schema: { allOf: repeat(240, (i) => ({ minProperties: i })) },
    value: manyKeys,
  },
  {
    name: "120 times additionalProperties over 80,000 keys",
    schema: { allOf: repeat(120, () => ({ additionalProperties: { type: "number" } })) },
    value: manyKeys,
  },
  {
    name: "unevaluatedProperties over 80,000 keys in nested unions",
    schema: {
      unevaluatedProperties: false,
      ...(nest(6, (s) => ({ anyOf: [s, s] }), { patternProperties: { "^k": {} } }) as JsonObject),
    },
    value: manyKeys,
  },
  {
    name: "unevaluatedItems over 100,000 items",
    schema: { unevaluatedItems: false, anyOf: repeat(120, (i) => ({ contains: { minimum: i } })) },
    value: repeat(100_000, (i) => i),
  },
  {
    name: "maxLength 240 times over a megabyte",
    schema: { allOf: repeat(240, (i) => ({ maxLength: 2_000_000 + i })) },
    value: letters,
  },
  { name: "a pattern that doubles over a megabyte", schema: { pattern: "^(a|a)*$" }, value: "a".repeat(megabyte) },
  {
    name: "a pattern with ever new states over a megabyte",
    schema: { pattern: "[ab]*a[ab]{200}[cd]" },
    value: letters,
  },
  {
    name: "95 patterns over a megabyte",
    schema: { allOf: repeat(95, (i) => ({ pattern: `[ab]*a[ab]{${i + 10}}[cd]` })) },
    value: letters,
  },
  {
    name: "patterns of many wide classes",
    schema: { allOf: repeat(12, (i) => ({ pattern: `^(?:[\\p{L}\\p{N}\\p{P}]|[^\\p{L}]){1,${i + 100}}` })) },
    value: "é".repeat(400_000),
  },
  { name: "the format url over a megabyte", schema: { format: "url" }, value: `http://${":".repeat(megabyte)}` },
  {
    name: "240 formats over a megabyte",
    schema: {
      anyOf: repeat(240, (i) => ({
        format: ["uri", "uri-template", "json-pointer", "byte", "regex", "date-time"][i % 6],
      })),
    },
    value: `/${"a".repeat(megabyte)}!`,
  },
  {
    name: "multipleOf with far exponents",
    schema: { items: { multipleOf: 1e-300 } },
    value: repeat(20_000, (i) => (i + 1) * 1e300),
  },
  {
    name: "long chains at each level of the value, that pile up findings",
    schema: {
      $ref: "#/$defs/c0",
      $defs: Object.fromEntries(
        repeat(12, (i) => [
          `c${i}`,
          { anyOf: [{ const: i }, i < 11 ? { $ref: `#/$defs/c${i + 1}` } : { properties: { a: { $ref: "#" } } }] },
        ]),
      ),
    },
    value: nest(60, (a) => ({ a }), 1),
  },
  {
    name: "500 properties, required, of 20,000 objects",
    schema: {
      items: {
        anyOf: [
          { properties: members(400, () => ({ type: "string" })), required: repeat(500, (i) => `k${i}`) },
          { properties: members(400, () => ({ type: "string" })) },
        ],
      },
    },
    value: repeat(20_000, () => ({ k1: "" })),
  },
  {
    name: "dependentRequired over many",
    schema: { items: { dependentRequired: members(50, () => repeat(10, (i) => `n${i}`)) } },
    value: repeat(20_000, () => ({ k1: 1, k2: 2 })),
  },
  {
    name: "280 schemas of many keywords",
    schema: {
      properties: members(140, (i) => ({
        type: "object",
        required: ["a"],
        minProperties: 1,
        maxProperties: i,
        properties: { a: { type: "string", minLength: 1, maxLength: 9, enum: ["a", "b"] } },
      })),
    },
    value: members(140, () => ({ a: "a" })),
  },
  {
    name: "80 unions",
    schema: {
      properties: members(80, () => ({
        anyOf: [{ type: "string" }, { type: "number" }, { type: "object", unevaluatedProperties: false }],
      })),
    },
    value: members(80, () => null),
  },
];
