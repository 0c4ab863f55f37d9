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
