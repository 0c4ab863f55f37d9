import fc from "fast-check";
import type { JsonObject } from "../../../src/json/object.ts";

const keys = fc.constantFrom(
  "a",
  "b",
  "kind",
  "properties",
  "type",
  "$ref",
  "$top",
  "filter[id]",
  "not_",
  "x y",
  "x-y",
);
const scalars = fc.constantFrom<unknown>("", "a", "b", "x", 0, 1, 2, 1.5, true, false, null);

/** Some of the members, each with a value of its own. */
function some(model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  return fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
}

const strings = some({
  minLength: fc.nat(2),
  maxLength: fc.integer({ min: 1, max: 3 }),
  pattern: fc.constantFrom("^a", "b$", "."),
  format: fc.constantFrom("date", "uri", "email", "int32", "made-up"),
  enum: fc.uniqueArray(fc.constantFrom("", "a", "ab", "b"), { minLength: 1, maxLength: 3 }),
  description: fc.constant("A string."),
}).map((schema): JsonObject => ({ type: "string", ...schema }));

const numbers = fc
  .tuple(
    fc.constantFrom("integer", "number"),
    some({
      minimum: fc.integer({ min: -2, max: 2 }),
      exclusiveMinimum: fc.constantFrom(-1, 0, 0.5),
      maximum: fc.integer({ min: 1, max: 4 }),
      exclusiveMaximum: fc.constantFrom(2, 3.5),
      multipleOf: fc.constantFrom(2, 0.5),
      enum: fc.constantFrom([1, 2], [0, 1, 2.5]),
      default: fc.constant(1),
    }),
  )
  .map(([type, schema]): JsonObject => ({ type, ...schema }));

const others = fc.constantFrom<JsonObject>(
  { type: "boolean" },
  { type: "boolean", enum: [true] },
  { type: "null" },
  { const: "tag" },
  { const: 1 },
  { const: null },
  { type: ["string", "null"] },
  { type: ["string", "integer"], minLength: 1, minimum: 0 },
  { type: ["string", "null"], enum: ["a", "b"] },
  { type: "object" },
  { type: "array" },
  {},
  { description: "Anything." },
);

/** Schemas of all keywords that tools are known to have, three levels deep. */
export const schemas = fc.letrec<{ schema: JsonObject; object: JsonObject; array: JsonObject; union: JsonObject }>(
  (tie) => ({
    schema: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      {
        arbitrary: fc.oneof(
          strings,
          numbers,
          others,
          scalars.map((value): JsonObject => ({ enum: [value, "z"] })),
        ),
        weight: 4,
      },
      { arbitrary: tie("object"), weight: 3 },
      { arbitrary: tie("array"), weight: 2 },
      { arbitrary: tie("union"), weight: 2 },
      {
        arbitrary: fc.constantFrom("one", "two", "tree").map((name): JsonObject => ({ $ref: `#/$defs/${name}` })),
        weight: 1,
      },
    ),
    object: fc
      .tuple(
        fc.dictionary(keys, tie("schema"), { maxKeys: 3, noNullPrototype: true }),
        fc.subarray(["a", "b", "kind", "$top", "filter[id]"]),
        some({
          additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
          patternProperties: fc.constant({ "^x": { type: "string" } }),
          minProperties: fc.nat(1),
          maxProperties: fc.constant(4),
          dependentRequired: fc.constant({ a: ["b"] }),
          propertyNames: fc.constant({ maxLength: 4 }),
          not: fc.constant({ required: ["a", "b"] }),
          if: fc.constant({ required: ["a"] }),
          then: fc.constant({ required: ["$top"] }),
          allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 1 }),
          anyOf: fc.constant([{ required: ["a"] }, { required: ["b"] }]),
          unevaluatedProperties: fc.constant(false),
        }),
        fc.integer({ min: 0, max: 5 }),
      )
      .map(([properties, required, rare, weight]): JsonObject => {
        const declared = required.filter((key) => Object.hasOwn(properties, key) || weight === 5);
        const kept = Object.fromEntries(Object.entries(rare).filter((_, index) => (index + weight) % 4 === 0));
        return {
          type: "object",
          properties,
          ...(declared.length > 0 && { required: declared }),
          ...(weight > 1 && { additionalProperties: false }),
          ...kept,
        };
      }),
    array: some({
      items: tie("schema"),
      prefixItems: fc.oneof({ arbitrary: fc.constant([{ type: "string" }, { type: "integer" }]), weight: 1 }),
      minItems: fc.nat(2),
      maxItems: fc.integer({ min: 1, max: 3 }),
      uniqueItems: fc.boolean(),
      contains: fc.constant({ type: "string" }),
    }).map((schema): JsonObject => ({ type: "array", ...schema })),
    union: fc
      .tuple(
        fc.constantFrom("anyOf", "oneOf", "allOf"),
        fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
        some({ description: fc.constant("One of these."), type: fc.constant("object") }),
      )
      .map(([keyword, members, beside]): JsonObject => ({ ...beside, [keyword]: members })),
  }),
);

const definitions = { one: schemas.schema, two: schemas.schema };

/** Parameters of tools. */
export const parameters = fc
  .tuple(fc.oneof(schemas.object, schemas.union), fc.record(definitions))
  .map(([root, defs]): JsonObject => ({
    ...root,
    type: "object",
    $defs: {
      one: withoutReferences(defs.one),
      two: withoutReferences(defs.two),
      tree: {
        type: "object",
        properties: { leaf: { type: "string" }, next: { $ref: "#/$defs/tree" } },
        required: ["leaf"],
        additionalProperties: false,
      },
    },
  }));

/** References among the definitions would go round in circles for one and the same value. */
function withoutReferences(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === "object" && value !== null && typeof Object(value)["$ref"] === "string"
      ? { type: "string" }
      : value,
  ) as JsonObject;
}
