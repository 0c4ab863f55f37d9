import { describe, expect, it } from "vitest";
import { withoutProperties } from "../../../src/schema/fixed/without-properties.ts";
import { createCheck } from "../../../src/schema/check.ts";
import type { JsonObject } from "../../../src/json/object.ts";

/** The schema without `tenant`, whose value is not known. */
function open(schema: JsonObject) {
  return withoutProperties({ type: "object", ...schema }, new Map([["tenant", undefined]]));
}

/** The schema without `tenant`, which is always this value. */
function fixed(schema: JsonObject, value: unknown = "acme"): JsonObject {
  return withoutProperties({ type: "object", ...schema }, new Map([["tenant", { value }]])).schema;
}

const text = { type: "string" };
const pets = {
  oneOf: [
    { properties: { tenant: { const: "cat" }, meow: {} }, required: ["tenant", "meow"] },
    { properties: { tenant: { const: "dog" }, bark: {} }, required: ["tenant", "bark"] },
  ],
};

describe("a schema without a property that is always there", () => {
  it("keeps everything else as it is", () => {
    const properties = { b: { type: "integer", minimum: 1 }, c: text };
    const rest = { properties, required: ["b"], additionalProperties: false, title: "Ask" };
    const source = { ...rest, properties: { tenant: text, ...properties }, required: ["tenant", "b"] };
    expect(open(source)).toEqual({ schema: { type: "object", ...rest }, dropped: [] });
  });

  it("decides branches and conditions by a value that is known", () => {
    expect(fixed(pets, "cat")).toEqual({ type: "object", properties: { meow: {} }, required: ["meow"] });
    const condition = { if: { properties: { tenant: { const: "acme" } } }, then: { required: ["a"] }, else: false };
    expect(fixed(condition)).toEqual({ type: "object", required: ["a"] });
  });

  it("accepts what any branch accepts if the value is not known", () => {
    expect(open(pets).schema).toEqual({
      type: "object",
      anyOf: [
        { properties: { meow: {} }, required: ["meow"] },
        { properties: { bark: {} }, required: ["bark"] },
      ],
    });
  });

  it("drops what depends on a value that is not known, and what would then mean more", () => {
    const condition = { if: { properties: { tenant: { const: "x" } } }, then: { required: ["a"] } };
    expect(open({ ...condition, unevaluatedProperties: false })).toEqual({
      schema: { type: "object" },
      dropped: ["if", "unevaluatedProperties"],
    });
    expect(open({ not: { properties: { tenant: { const: "x" } } } })).toEqual({
      schema: { type: "object" },
      dropped: ["not"],
    });
  });

  it("counts it among the properties, and settles what depends on it", () => {
    const counted = { minProperties: 2, maxProperties: 3, dependentRequired: { tenant: ["a"], b: ["tenant", "c"] } };
    expect(fixed(counted)).toEqual({
      type: "object",
      minProperties: 1,
      maxProperties: 2,
      required: ["a"],
      dependentRequired: { b: ["c"] },
    });
    const old = { $schema: "http://json-schema.org/draft-07/schema#", dependencies: { tenant: { required: ["a"] } } };
    expect(fixed(old)).toEqual({ type: "object", required: ["a"] });
  });

  it("does not name it in patterns, names, values and annotations", () => {
    const source = {
      patternProperties: { "^tenant$": text, "^(tenant|b)$": text, "^x-": text },
      propertyNames: { enum: ["tenant", "b"] },
      examples: [{ tenant: "t", b: 1 }],
      default: { tenant: "t" },
      propertyOrdering: ["tenant", "b"],
      discriminator: { propertyName: "tenant" },
    };
    expect(fixed(source)).toEqual({
      type: "object",
      patternProperties: { "^x-": text },
      propertyNames: { enum: ["b"] },
      examples: [{ b: 1 }],
      default: {},
      propertyOrdering: ["b"],
    });
    expect(fixed({ enum: [{ tenant: "acme", b: 1 }, { tenant: "other" }, { b: 2 }] })).toEqual({
      type: "object",
      enum: [{ b: 1 }],
    });
  });

  it("allows no other property if only the bound name is allowed, whatever the number that is allowed", () => {
    const onlyTenant = { propertyNames: { enum: ["tenant"] }, maxProperties: 2 };
    const check = createCheck(fixed({ oneOf: [onlyTenant, { required: ["tenant"] }] }));
    expect(check.accepts({ a: 1 })).toBe(true);
    expect(check.accepts({})).toBe(false);
  });

  it("evaluates what the source evaluates, also if a schema depends on a name that is not there", () => {
    const source = {
      properties: { tenant: {}, a: {} },
      dependentSchemas: { tenant: { dependentSchemas: { b: { properties: { a: {} }, oneOf: [{}] } } } },
      unevaluatedProperties: false,
    };
    const declared = createCheck(open(source).schema);
    const own = createCheck(source);
    for (const [sent, verdict] of [
      [{ a: "x" }, true],
      [{}, true],
      [{ b: 1 }, false],
    ] as const) {
      expect(declared.accepts(sent)).toBe(verdict);
      expect(own.accepts({ ...sent, tenant: "acme" })).toBe(verdict);
    }
  });

  it("follows references, under names that do not name it, and leaves the same name deeper inside", () => {
    const { schema } = withoutProperties(
      {
        $ref: "#/$defs/tenant",
        $defs: {
          tenant: {
            type: "object",
            properties: { tenant: text, child: { $ref: "#/$defs/tenant" } },
            required: ["tenant"],
          },
        },
      },
      new Map([["tenant", undefined]]),
    );
    expect(schema).toEqual({
      type: "object",
      properties: { child: { $ref: "#/$defs/shared" } },
      $defs: {
        shared: {
          type: "object",
          properties: { tenant: text, child: { $ref: "#/$defs/shared" } },
          required: ["tenant"],
        },
      },
    });
  });

  it.each<[string, JsonObject, string]>([
    [
      "its value does not fit",
      { properties: { tenant: { type: "integer" } } },
      'the value bound to "tenant" does not match the schema of this argument',
    ],
    ["it is not allowed", { additionalProperties: false }, 'the schema does not allow "tenant"'],
    ["its name is not allowed", { propertyNames: { maxLength: 3 } }, 'the schema does not allow "tenant"'],
    [
      "no branch fits",
      { anyOf: [{ properties: { tenant: { const: "x" } } }] },
      'the value bound to "tenant" does not match the schema of this argument',
    ],
    ["no listed value has it", { enum: [{ a: 1 }] }, 'no value in "enum" or "const" has the bound arguments'],
    ["there are too many", { maxProperties: 0 }, "more arguments are bound than the schema allows properties"],
    ["what is bound is excluded", { not: { required: ["tenant"] } }, "the schema does not allow the bound arguments"],
  ])("says why nothing is valid if %s", (_, source, reason) => {
    expect(() => fixed(source)).toThrow(reason);
  });
});
