import { describe, expect, it } from "vitest";
import { createCheck } from "../../../src/schema/check.ts";
import type { JsonObject, JsonSchema } from "../../../src/index.ts";
import { callWith } from "../../core/one-tool.ts";

/** Each has a keyword that notes which properties were seen, but not for every value, and then `patternProperties`. */
const schemas: readonly [string, JsonObject, [unknown, boolean][]][] = [
  [
    "anyOf",
    {
      patternProperties: { "^a": { type: "string" } },
      anyOf: [{ maxProperties: 0, oneOf: [{ properties: { a: { type: "string" } } }] }, { required: ["b"] }],
    },
    [
      [{ a: -1 }, false],
      [{ a: "x" }, false],
      [{ a: "x", b: 1 }, true],
      [{ a: 1, b: 1 }, false],
      [{}, true],
    ],
  ],
  [
    "then with a reference",
    { patternProperties: { "^a": {} }, if: { type: "string" }, then: { $ref: "#" } },
    [
      [{ a: "" }, true],
      [{}, true],
    ],
  ],
  [
    "then that sees every property",
    {
      patternProperties: { "^a": { type: "string" } },
      if: { required: ["b"] },
      then: { $ref: "#/$defs/open" },
      $defs: { open: { anyOf: [{ required: ["c"], additionalProperties: true }, true] } },
    },
    [
      [{ a: "" }, true],
      [{ a: "", b: 1, c: 2 }, true],
      [{ a: 1, b: 1, c: 2 }, false],
      [{ a: "", b: 1 }, true],
    ],
  ],
  [
    "oneOf",
    { patternProperties: { "^a": {} }, oneOf: [{ required: ["b"], properties: { b: {} } }, { maxProperties: 1 }] },
    [
      [{ a: 1 }, true],
      [{ a: 1, b: 2 }, true],
      [{ a: 1, c: 2 }, false],
    ],
  ],
];

describe.each(schemas)("patternProperties beside %s", (_, keywords, values) => {
  const schema: JsonSchema = { ...keywords, type: "object" };

  it.each([schema, { ...schema, properties: { x: { unevaluatedProperties: {} } } }])(
    "gives a verdict and its reasons, whether or not what is unevaluated matters",
    async (judging) => {
      for (const [value, verdict] of values) {
        const check = createCheck(judging);
        expect(check.accepts(value), JSON.stringify(value)).toBe(verdict);
        expect(check.findings(value).length > 0, JSON.stringify(value)).toBe(!verdict);
        expect((await callWith(judging, value)).status).toBe(verdict ? "ok" : "error");
      }
    },
  );
});

const thenOpen = {
  if: { required: ["b"] },
  then: { $ref: "#/$defs/open" },
  $defs: { open: { additionalProperties: true } },
};

it.each<[JsonObject, unknown, boolean]>([
  [{ oneOf: [{ required: ["b"], properties: { b: {} } }, { maxProperties: 1 }] }, { a: 1, b: 2 }, true],
  [{ oneOf: [{ required: ["b"], properties: { b: {} } }, { maxProperties: 2 }] }, { a: 1, c: 2 }, false],
  [{ anyOf: [{ required: ["b"], properties: { b: {} } }, {}] }, { a1: 1, a2: 2 }, true],
  [{ anyOf: [{ required: ["b"], properties: { b: {} } }, {}] }, { a1: 1, b: 2 }, true],
  [{ anyOf: [{ required: ["b"], properties: { c: {} } }, {}] }, { a1: 1, c: 2 }, false],
  [thenOpen, { a: 1, c: 2 }, false],
  [thenOpen, { a: 1, b: 2, c: 3 }, true],
])("what it matches is evaluated, and so is what was before: %j, %j", (keywords, value, verdict) => {
  const check = createCheck({ ...keywords, patternProperties: { "^a": {} }, unevaluatedProperties: false });
  expect(check.accepts(value)).toBe(verdict);
  expect(check.findings(value).length > 0).toBe(!verdict);
});

it.each([true, false])("a branch that no value reaches takes nothing from the others (all are asked: %s)", (all) => {
  const dead = { const: null, oneOf: [{ properties: { a: {} } }], not: {}, if: { type: "string" } };
  const check = createCheck({ dependentSchemas: { a: dead }, ...(all && { unevaluatedItems: false }) });
  expect([check.accepts({}), check.accepts({ b: 1 }), check.accepts({ a: 1 })]).toEqual([true, true, false]);
  expect(check.findings({ a: 1 }).length).toBeGreaterThan(0);
});

const named = { properties: { name: {} } };
const has = (name: string, evaluated: string): JsonObject => ({ required: [name], properties: { [evaluated]: {} } });

/** Beside `name`, which is evaluated in each of them. */
it.each<[string, JsonObject, [JsonObject, boolean][]]>([
  [
    "dependentSchemas",
    { ...named, dependentSchemas: { link: has("to", "to") } },
    [
      [{ name: 1 }, true],
      [{ name: 1, to: 1 }, false],
    ],
  ],
  [
    "a condition in dependentSchemas (ajv issue 2483)",
    {
      properties: { name: {}, link: {} },
      dependentSchemas: { link: { if: { properties: { link: { const: true } } }, then: has("to", "to") } },
    },
    [
      [{ name: 1 }, true],
      [{ name: 1, link: false }, true],
      [{ name: 1, link: true }, false],
      [{ name: 1, link: true, to: 1 }, true],
      [{ name: 1, link: false, to: 1 }, false],
    ],
  ],
  [
    "oneOf beside a reference (ajv issue 2559)",
    { $ref: "#/$defs/named", oneOf: [has("a", "a"), has("b", "b")], $defs: { named } },
    [
      [{ name: 1, a: 1 }, true],
      [{ name: 1, b: 1 }, true],
      [{ name: 1, b: 1, c: 1 }, false],
    ],
  ],
  [
    "anyOf beside a reference",
    { $ref: "#/$defs/named", anyOf: [has("a", "a"), has("b", "b"), {}], $defs: { named } },
    [
      [{ name: 1 }, true],
      [{ name: 1, b: 1 }, true],
      [{ name: 1, c: 1 }, false],
    ],
  ],
  [
    "a branch that is not valid and has branches of its own",
    { ...named, anyOf: [{ required: ["z"], anyOf: [{ properties: { a: {} } }] }, {}] },
    [
      [{ name: 1 }, true],
      [{ name: 1, a: 1 }, false],
    ],
  ],
  [
    "an if that is not valid",
    { ...named, if: { properties: { a: { const: 1 } } }, else: { properties: { b: {} } } },
    [
      [{ name: 1, a: 1 }, true],
      [{ name: 1, a: 2 }, false],
      [{ name: 1, b: 2 }, false],
    ],
  ],
  [
    "an if without then and else",
    { ...named, if: { properties: { a: { const: 1 } } } },
    [
      [{ name: 1, a: 1 }, true],
      [{ name: 1, a: 2 }, false],
    ],
  ],
  [
    "a name that every object inherits",
    { ...named, anyOf: [{ properties: { a: {} } }] },
    [
      [{ name: 1, a: 1 }, true],
      [{ name: 1, toString: 1 }, false],
    ],
  ],
])("a schema that is not applied takes nothing from the others and adds nothing: %s", (_, keywords, values) => {
  const check = createCheck({ ...keywords, unevaluatedProperties: false });
  for (const [value, verdict] of values) {
    expect(check.accepts(value), JSON.stringify(value)).toBe(verdict);
    expect(check.findings(value).length > 0, JSON.stringify(value)).toBe(!verdict);
  }
});

it.each<[string, JsonObject, [unknown[], boolean][]]>([
  [
    "dependentSchemas, which is not for arrays",
    { prefixItems: [{}, {}], dependentSchemas: { a: { prefixItems: [{}] } } },
    [
      [[1, 2], true],
      [[1, 2, 3], false],
    ],
  ],
  [
    "a branch that evaluates every item",
    { anyOf: [{ items: { type: "string" } }, { prefixItems: [{}] }] },
    [
      [["a", "b", "c"], true],
      [["a", 1], false],
      [[1], true],
    ],
  ],
  [
    "a branch that evaluates none",
    { anyOf: [{ minItems: 2, prefixItems: [{}, {}] }, {}] },
    [
      [[], true],
      [[1], false],
      [[1, 2], true],
      [[1, 2, 3], false],
    ],
  ],
])("and so with items: %s", (_, keywords, values) => {
  const check = createCheck({ ...keywords, unevaluatedItems: false });
  for (const [value, verdict] of values) {
    expect(check.accepts(value), JSON.stringify(value)).toBe(verdict);
    expect(check.findings(value).length > 0, JSON.stringify(value)).toBe(!verdict);
  }
});
