import fc from "fast-check";
import { expect, it } from "vitest";
import { type Check, createCheck } from "../../../src/schema/check.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import type { JsonSchema } from "../../../src/schema/json-schema.ts";
import { runs } from "../../runs.ts";
import { evaluate } from "../evaluation-model.ts";

const names = fc.constantFrom("a", "b", "c", "toString");
const leaf = fc.constantFrom<JsonSchema>(true, true, {}, { const: 1 }, { type: "string" });
const plain = { noNullPrototype: true } as const;

/** Schemas of one value, one inside another. A keyword is in one of so many. */
const schemasOf = (levels: number, references: readonly string[]): fc.Arbitrary<JsonObject> => {
  const inner = levels === 0 ? fc.constantFrom<JsonObject>({}, { required: ["a"] }) : schemasOf(levels - 1, references);
  const oneIn = (times: number, values: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });
  const some = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc
    .record({
      type: oneIn(20, fc.constantFrom("object", "array")),
      properties: oneIn(3, fc.dictionary(names, leaf, { ...plain, minKeys: 1, maxKeys: 2 })),
      required: oneIn(4, fc.subarray(["a", "b", "c"], { minLength: 1, maxLength: 1 })),
      patternProperties: oneIn(10, fc.dictionary(fc.constantFrom("^[ab]$", "S"), leaf, { ...plain, maxKeys: 2 })),
      additionalProperties: oneIn(20, leaf),
      prefixItems: oneIn(8, fc.array(leaf, { minLength: 1, maxLength: 2 })),
      items: oneIn(20, leaf),
      allOf: oneIn(8, some),
      anyOf: oneIn(5, some),
      oneOf: oneIn(8, some),
      not: oneIn(20, inner),
      if: oneIn(6, inner),
      then: oneIn(6, inner),
      else: oneIn(6, inner),
      dependentSchemas: oneIn(6, fc.dictionary(names, inner, { ...plain, minKeys: 1, maxKeys: 2 })),
      $ref: oneIn(6, references.length === 0 ? fc.constant(undefined) : fc.constantFrom(...references)),
      unevaluatedProperties: oneIn(6, leaf),
      unevaluatedItems: oneIn(10, leaf),
    })
    .map((schema) => Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined)));
};

const values = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(names, fc.constantFrom(1, "x"), { ...plain, maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(1, "x"), { maxLength: 3 }) },
);

const closed = fc.constantFrom<JsonObject>(
  { unevaluatedProperties: false, unevaluatedItems: false },
  { unevaluatedProperties: { type: "string" }, unevaluatedItems: { type: "string" } },
);

it("a verdict on what is unevaluated is that of the specification", () => {
  const counts = { valid: 0, refused: 0 };
  const documents = fc.record({
    node: schemasOf(2, ["#/$defs/x", "#/$defs/y"]),
    x: schemasOf(1, ["#/$defs/y"]),
    y: schemasOf(1, []),
    closed,
  });
  const property = fc.property(documents, fc.array(values, { minLength: 6, maxLength: 6 }), (document, asked) => {
    const $defs = { x: document.x, y: document.y };
    const schema = { ...document.node, ...document.closed, $defs };
    const checks: Check[] = [createCheck(schema), createCheck(schema, { trusted: false })];
    for (const value of asked) {
      const isValid = evaluate(schema, value, schema) !== undefined;
      counts[isValid ? "valid" : "refused"]++;
      for (const check of checks) {
        expect(check.accepts(value)).toBe(isValid);
        expect(check.findings(value).length > 0).toBe(!isValid);
      }
    }
  });
  fc.assert(property, { numRuns: runs(300) });
  expect(Math.min(counts.valid, counts.refused)).toBeGreaterThan(runs(300));
});
