import fc from "fast-check";
import type { JsonObject } from "../../src/json/object.ts";

/** The argument that is bound. No other word contains it. */
export const bound = "zqBound";

const names = fc.constantFrom(bound, "a", "b", "c");
const some = <T>(values: fc.Arbitrary<T>, maxLength = 3): fc.Arbitrary<T[]> => fc.uniqueArray(values, { maxLength });
/** Absent but for one time in so many. */
const oneIn = <T>(times: number, values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });
const plain = { noNullPrototype: true } as const;

/** What arguments are, the bound one too. */
export const leafValues = fc.constantFrom<unknown>("x", "yy", 1, 2, true, null, { deep: "x" });

const leafSchemas = fc.constantFrom<JsonObject | boolean>(
  {},
  true,
  { type: "string" },
  { type: "integer" },
  { const: "x" },
  { enum: ["x", 1] },
  { type: ["string", "null"], maxLength: 1 },
  { $ref: "#/$defs/leaf" },
  { not: { const: "x" } },
  { anyOf: [{ type: "string" }, { const: 2 }] },
  false,
);

const objects = fc.dictionary(names, leafValues, { ...plain, maxKeys: 3 });

/** Schemas that are asked of the object, one inside another. */
function nodesOf(levels: number): fc.Arbitrary<JsonObject> {
  const node = levels === 0 ? fc.constantFrom<JsonObject>({}, { required: [bound] }) : nodesOf(levels - 1);
  const rarely = <T>(values: fc.Arbitrary<T>) => oneIn(9, values);
  const keywords = fc.record({
    properties: oneIn(2, fc.dictionary(names, leafSchemas, { ...plain, maxKeys: 3 })),
    required: oneIn(3, some(names, 2)),
    additionalProperties: rarely(leafSchemas),
    patternProperties: rarely(
      fc.dictionary(fc.constantFrom("^zq", `^${bound}$`, "^a", "o", `^(a|${bound})$`), leafSchemas, plain),
    ),
    propertyNames: rarely(
      fc.oneof(
        some(names, 4).map((list) => ({ enum: list.length === 0 ? ["a"] : list })),
        fc.constantFrom<JsonObject>(
          { maxLength: 1 },
          { maxLength: 7 },
          { pattern: `^(a|b|${bound})$` },
          { $ref: "#/$defs/names" },
        ),
      ),
    ),
    minProperties: rarely(fc.nat(3)),
    maxProperties: rarely(fc.nat(4)),
    dependentRequired: rarely(fc.dictionary(names, some(names, 2), { ...plain, maxKeys: 2 })),
    dependentSchemas: rarely(fc.dictionary(names, node, { ...plain, maxKeys: 1 })),
    enum: oneIn(
      30,
      fc.uniqueArray(objects, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) }),
    ),
    const: oneIn(50, objects),
    allOf: rarely(fc.array(node, { minLength: 1, maxLength: 2 })),
    anyOf: rarely(fc.array(node, { minLength: 1, maxLength: 3 })),
    oneOf: rarely(fc.array(node, { minLength: 1, maxLength: 3 })),
    not: oneIn(15, node),
    if: rarely(node),
    then: rarely(node),
    else: rarely(node),
    unevaluatedProperties: oneIn(15, fc.constantFrom<boolean | JsonObject>(false, { type: "string" })),
    $ref: rarely(fc.constantFrom("#/$defs/base", `#/$defs/${bound}`, "#base")),
    default: rarely(objects),
    examples: rarely(fc.array(objects, { maxLength: 2 })),
    propertyOrdering: rarely(some(names)),
    discriminator: rarely(fc.constant({ propertyName: bound })),
  });
  return keywords.map(withoutAbsent);
}

const nodes = nodesOf(2);

function withoutAbsent(node: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined));
}

const withoutReference = nodes.map(
  (node) =>
    JSON.parse(
      JSON.stringify(node, (key, value: unknown) =>
        key === "$ref" && String(value).includes("e") && value !== "#/$defs/leaf" ? undefined : value,
      ),
    ) as JsonObject,
);

/** Schemas of arguments that name the bound one, in 2020-12 or draft-07. */
export const boundSchemas = fc
  .record({
    node: nodes,
    base: fc.option(withoutReference, { nil: { type: "object" } }),
    other: withoutReference,
    isDraft7: fc.boolean(),
  })
  .map(({ node, base, other, isDraft7 }): JsonObject => {
    const $defs = {
      base: { $anchor: "base", ...base },
      [bound]: other,
      leaf: { type: "string", minLength: 2 },
      names: { enum: [bound, "a", "b"] },
    };
    const { properties, ...rest } = node;
    const schema = {
      ...rest,
      type: "object",
      properties: { [bound]: {}, a: { $ref: `#/properties/${bound}` }, ...(properties as JsonObject | undefined) },
      $defs,
    };
    return isDraft7 ? toDraft7(schema) : schema;
  });

/** Names of keywords alone: anchors are `$id` there. */
function toDraft7(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema)
    .replaceAll('"$anchor":"base"', '"$id":"#base"')
    .replaceAll('"dependentRequired"', '"dependencies"')
    .replaceAll('"#/$defs/', '"#/definitions/')
    .replaceAll('"$defs"', '"definitions"');
  return { $schema: "http://json-schema.org/draft-07/schema#", ...(JSON.parse(text) as JsonObject) };
}

/** What a call sends. */
export const sentArguments = fc.dictionary(fc.constantFrom("a", "b", "c", "o"), leafValues, { ...plain, maxKeys: 3 });
