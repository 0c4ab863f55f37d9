import fc from "fast-check";
import type { JsonObject } from "../../src/json/object.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";

const names = fc.constantFrom("a", "b", "c", "", "a/b~c", "constructor", "toString", "é", "$ref", "length");
const counts = fc.constantFrom(0, 1, 2, 3, 5);
const numbers = fc.constantFrom(-1, 0, 1, 2.5, 10, 1e15);
const plain = fc.oneof(fc.constantFrom<unknown>(null, true, 1, "a", "celsius", [], {}), fc.jsonValue({ maxDepth: 1 }));
const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const patterns = fc.constantFrom("^a", "^\\p{L}+$", "[0-9]{2}", "^(?:a|b)$", "\\d", ".", "a-b", "\\-");
const formats = fc.constantFrom("date-time", "date", "email", "uri", "uuid", "ipv4", "regex", "nobody-knows");
const references = fc.constantFrom("#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/definitions/a", "#here");

/** Keywords with values that the drafts allow. */
function validKeywords(schema: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonObject> {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(names, schema, { maxKeys: 3 });
  const rows: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(plain, { minLength: 1, maxLength: 4, selector: (value) => JSON.stringify(value) }),
    const: plain,
    minimum: numbers,
    maximum: numbers,
    exclusiveMinimum: numbers,
    exclusiveMaximum: numbers,
    multipleOf: fc.constantFrom(1, 2, 3),
    minLength: counts,
    maxLength: counts,
    pattern: patterns,
    format: formats,
    minItems: counts,
    maxItems: counts,
    uniqueItems: fc.boolean(),
    items: schema,
    prefixItems: list,
    contains: schema,
    minContains: counts,
    properties: map,
    required: fc.uniqueArray(names, { maxLength: 3 }),
    patternProperties: fc.dictionary(patterns, schema, { maxKeys: 2 }),
    additionalProperties: schema,
    unevaluatedProperties: schema,
    unevaluatedItems: schema,
    propertyNames: schema,
    minProperties: counts,
    maxProperties: counts,
    dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
    dependentSchemas: map,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: schema,
    if: schema,
    then: schema,
    else: schema,
    $defs: map,
    definitions: map,
    $ref: references,
    $anchor: fc.constantFrom("here", "there"),
    title: fc.string({ maxLength: 3 }),
    default: plain,
    examples: fc.array(plain, { maxLength: 2 }),
    deprecated: fc.boolean(),
    "x-unknown": plain,
  };
  return fc
    .subarray(Object.keys(rows), { maxLength: 4 })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, rows[key]!]))));
}

const schemas: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema" },
    fc.oneof(
      fc.boolean(),
      types.map((type) => ({ type })),
    ),
    validKeywords(tie("schema")),
  ),
})).schema;

/** Schemas whose keywords have allowed values; what they refer to may be missing. */
export const likelySchemas: fc.Arbitrary<JsonObject> = fc
  .tuple(validKeywords(schemas), fc.dictionary(names, schemas, { maxKeys: 3 }))
  .map(([schema, $defs]) => ({ properties: {}, ...schema, $defs, type: "object" }));

const keywords = fc.constantFrom(
  ..."type enum const minimum multipleOf minLength pattern format items prefixItems required".split(" "),
  ..."properties additionalProperties patternProperties allOf anyOf not if $defs $ref $id".split(" "),
  ..."$schema $anchor $dynamicRef $dynamicAnchor $recursiveRef $vocabulary $async $data nullable".split(" "),
  ..."discriminator dependencies id __proto__ constructor toString unevaluatedProperties $comment".split(" "),
);
const wild = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    "(",
    "[",
    "\\",
    "#",
    "#/",
    "#/%",
    "#/~2",
    "http://x.example/s.json",
    "#/properties/a/properties/a",
  ),
  fc.constantFrom<unknown>(
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-07/schema",
    "about:blank",
  ),
  fc.constantFrom<unknown>(
    Infinity,
    NaN,
    undefined,
    -1,
    0,
    [],
    {},
    null,
    [[]],
    { $ref: "#" },
    { $ref: "#/$defs/a" },
    "object",
  ),
);

/** Anything that may stand where a schema should. */
export const wildSchemas: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.anything({ maxDepth: 2, withBigInt: true, withMap: true, withDate: true }),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.dictionary(keywords, fc.oneof(wild, schemas), { maxKeys: 5 }), fc.boolean())
      .map(([schema, isNested]) => ({
        ...(isNested ? { properties: { a: schema }, $defs: { a: schema } } : schema),
        type: "object",
      })),
  },
);

/** Values that such schemas have a say in. */
export const instances: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: "instance" },
    fc.oneof(numbers, fc.constantFrom<unknown>("", "a", "ab", "12", "celsius", "2020-01-01", null, true, false)),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
    fc.array(tie("value"), { maxLength: 4 }),
  ),
})).value;
