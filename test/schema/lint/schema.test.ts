import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { lintSchema } from "../../../src/schema/lint/schema.ts";
import { keywords } from "../../../src/schema/keywords.ts";

const draft = (name: string): string => `http://json-schema.org/${name}/schema#`;
const draft2019 = "https://json-schema.org/draft/2019-09/schema";
const text = { type: "string" };

/** What is said, with its place. */
function lint(schema: JsonObject): string[] {
  return lintSchema(schema).map(({ path, message }) => `${path} ${message}`);
}

describe("a misspelt keyword", () => {
  test.each([
    ["requried", "required"],
    ["minlength", "minLength"],
    ["additionalproperties", "additionalProperties"],
    ["additional_properties", "additionalProperties"],
    ["additionalPropertys", "additionalProperties"],
    ["enums", "enum"],
    ["propertes", "properties"],
    ["desciption", "description"],
    ["maxlenght", "maxLength"],
    ["minItem", "minItems"],
    ["exclusiveMin", "exclusiveMinimum"],
    ["allof", "allOf"],
    ["defaults", "default"],
    ["formats", "format"],
    ["$def", "$defs"],
    ["desc", "description"],
    ["regex", "pattern"],
    ["minValue", "minimum"],
  ])("%s is named with %s", (written, meant) => {
    expect(lint({ type: "object", [written]: 1 })).toEqual([
      `/${written} "${written}" is not a keyword of JSON Schema and has no effect; did you mean "${meant}"?`,
    ]);
  });

  test.each([
    ["string", "minLength"],
    ["array", "minItems"],
    ["integer", "minimum"],
  ])("min of a %s is named with %s", (type, meant) => {
    expect(lint({ properties: { a: { type, min: 1 } } })).toEqual([
      `/properties/a/min "min" is not a keyword of JSON Schema and has no effect; did you mean "${meant}"?`,
    ]);
  });

  test.each<[string, JsonObject]>([
    ["/properties/a/minlength", { properties: { a: { minlength: 1 } } }],
    ["/items/minlength", { items: { minlength: 1 } }],
    ["/prefixItems/1/minlength", { prefixItems: [{}, { minlength: 1 }] }],
    ["/additionalProperties/minlength", { additionalProperties: { minlength: 1 } }],
    ["/patternProperties/^a~1b/minlength", { patternProperties: { "^a/b": { minlength: 1 } } }],
    ["/anyOf/0/allOf/0/minlength", { anyOf: [{ allOf: [{ minlength: 1 }] }] }],
    ["/if/else/minlength", { if: { else: { minlength: 1 } } }],
    ["/not/minlength", { not: { minlength: 1 } }],
    ["/$defs/a/minlength", { $defs: { a: { minlength: 1 } } }],
    ["/dependentSchemas/a/minlength", { dependentSchemas: { a: { minlength: 1 } } }],
    ["/x-shared/a/minlength", { "x-shared": { a: { minlength: 1 } }, $ref: "#/x-shared/a" }],
  ])("is found at %s", (path, schema) => {
    expect(lintSchema(schema).map((found) => found.path)).toEqual([path]);
  });

  test("is nothing where no keyword can be: a property's name, and what default, const, enum and examples hold", () => {
    const words = { requried: 1, minlength: 2 };
    expect(lint({ properties: { requried: text, minlength: text }, default: words, enum: [words] })).toEqual([]);
    expect(lint({ const: words, examples: [words], $defs: { minlength: text } })).toEqual([]);
  });
});

test("no keyword of any draft is taken for a misspelt one", () => {
  for (const keyword of keywords) {
    if (keyword === "$schema") continue;
    expect(lint({ [keyword]: true }).filter((each) => each.includes("did you mean"))).toEqual([]);
  }
});

test.each(
  `x-order x_internal xml externalDocs example nullable discriminator deprecated readOnly writeOnly propertyOrdering ~standard
   ui:widget errorMessage markdownDescription enumNames enumDescriptions tsType label placeholder units icon optional
   order group category hidden secret name key version source kind value url method state message status inputType`
    .trim()
    .split(/\s+/),
)("%s is an annotation of its author's, and no mistake", (word) => {
  expect(lint({ properties: { a: { type: "string", [word]: "a" } } })).toEqual([]);
});

describe("a keyword of another draft", () => {
  test.each<[string, string, JsonObject]>([
    ["prefixItems", draft("draft-07"), { prefixItems: [text] }],
    ["dependentRequired", draft("draft-06"), { dependentRequired: { a: ["b"] } }],
    ["unevaluatedProperties", draft("draft-07"), { unevaluatedProperties: false }],
    ["minContains", draft("draft-04"), { minContains: 2 }],
    ["$dynamicRef", draft("draft-07"), { $dynamicRef: "#a" }],
    ["additionalItems", "https://json-schema.org/draft/2020-12/schema", { additionalItems: false }],
  ])("%s has no effect in %s, which is said", (keyword, $schema, schema) => {
    const [message, ...more] = lint({ $schema, properties: { a: schema } });
    expect(more).toEqual([]);
    expect(message).toContain(`/properties/a/${keyword} "${keyword}" has no effect in JSON Schema `);
  });

  test("says which drafts know it", () => {
    expect(lint({ $schema: draft("draft-07"), prefixItems: [text] })).toEqual([
      '/prefixItems "prefixItems" has no effect in JSON Schema draft-07, only in 2020-12',
    ]);
    expect(lint({ additionalItems: false })).toEqual([
      '/additionalItems "additionalItems" has no effect in JSON Schema 2020-12, only in draft-04 to 2019-09',
    ]);
  });

  test.each<[string, JsonObject]>([
    ["definitions in 2020-12", { definitions: { a: text } }],
    ["$defs in draft-07", { $schema: draft("draft-07"), $defs: { a: text } }],
    ["dependencies in 2020-12", { dependencies: { a: ["b"] } }],
    ["const in draft-04", { $schema: draft("draft-04"), const: 1 }],
    ["if in draft-06", { $schema: draft("draft-06"), if: text }],
    ["id in draft-07", { $schema: draft("draft-07"), id: "a" }],
    ["unevaluatedProperties in 2019-09", { $schema: draft2019, unevaluatedProperties: false }],
  ])("is no matter where it is enforced all the same, or does no harm: %s", (_name, schema) => {
    expect(lint(schema)).toEqual([]);
  });
});

describe("a required name without a property", () => {
  const open = { properties: { text, count: text } };

  test("cannot be sent where the object is closed", () => {
    expect(lint({ ...open, required: ["text", "txt"], additionalProperties: false })).toEqual([
      '/required/1 "required" lists "txt", which "additionalProperties": false does not allow, so no arguments or result can be valid; did you mean "text"?',
    ]);
    const nested = { type: "object", required: ["zone"], additionalProperties: false };
    expect(lint({ properties: { at: nested } })).toEqual([
      '/properties/at/required/0 "required" lists "zone", which "additionalProperties": false does not allow, so no value can be valid here',
    ]);
  });

  test("is said to be in no list where the object is open", () => {
    expect(lint({ ...open, required: ["txt"] })).toEqual([
      '/required/0 "required" lists "txt", which is not in "properties"; did you mean "text"?',
    ]);
    expect(lint({ ...open, required: ["zone"] })).toEqual([
      '/required/0 "required" lists "zone", which is not in "properties"',
    ]);
  });

  test("is closed out by the schema around it", () => {
    const branch = { properties: { zone: text }, required: ["zone"] };
    const [message] = lint({ ...open, allOf: [branch], additionalProperties: false });
    expect(message).toMatch(
      /^\/allOf\/0\/required\/0 "required" lists "zone", which "additionalProperties": false does not/,
    );
    expect(lint({ ...open, allOf: [branch], unevaluatedProperties: false })).toEqual([]);
    expect(lint({ ...open, required: ["zone"], unevaluatedProperties: false })).toHaveLength(1);
  });

  test.each<[string, JsonObject]>([
    ["a pattern names it", { patternProperties: { "^z": text }, additionalProperties: false, required: ["zone"] }],
    ["its properties are around it", { ...open, anyOf: [{ required: ["text"] }, { required: ["count"] }] }],
    ["its properties are beside it", { required: ["zone"], ...open, allOf: [{ properties: { zone: text } }] }],
    [
      "a reference names it",
      { ...open, $ref: "#/$defs/a", required: ["zone"], $defs: { a: { properties: { zone: text } } } },
    ],
    ["a reference leads elsewhere", { ...open, $ref: "https://example.com/a", required: ["zone"] }],
    ["a condition names it", { ...open, if: { required: ["text"] }, else: { required: ["count"] } }],
    ["nothing lists properties", { type: "object", required: ["zone"] }],
    ["it must not be there", { ...open, not: { required: ["zone"] }, additionalProperties: false }],
    [
      "it is only asked for",
      { ...open, if: { properties: { z: text }, required: ["z"] }, additionalProperties: false },
    ],
    ["only the parent has another", { properties: { at: { properties: { zone: text }, required: ["zone"] } } }],
  ])("is no mistake where %s", (_name, schema) => {
    expect(lint(schema)).toEqual([]);
  });

  test("ends where references go round", () => {
    const node = {
      allOf: [{ $ref: "#/$defs/node" }],
      properties: { next: { $ref: "#/$defs/node" } },
      required: ["nxt"],
    };
    expect(lint({ $ref: "#/$defs/node", $defs: { node } })).toEqual([
      '/$defs/node/required/0 "required" lists "nxt", which is not in "properties"; did you mean "next"?',
    ]);
  });
});

test("true and false have nothing to find", () => {
  expect([lintSchema(true), lintSchema(false)]).toEqual([[], []]);
});
