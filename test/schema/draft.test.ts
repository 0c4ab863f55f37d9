import { describe, expect, it } from "vitest";
import { createCheck } from "../../src/schema/check.ts";
import { createRegistry, type JsonSchema } from "../../src/index.ts";
import { toolOf } from "../core/one-tool.ts";

const accepts = (schema: JsonSchema, value: unknown) => createCheck(schema).accepts(value);
const draft = (version: string) => `http://json-schema.org/draft-${version}/schema#`;

describe("a schema is read in the draft that it names", () => {
  const pair = [{ type: "string" }, { type: "number" }];

  it("2020-12 where it names none", () => {
    expect(accepts({ prefixItems: pair }, ["a", "b"])).toBe(false);
    expect(accepts({ dependentRequired: { a: ["b"] } }, { a: 1 })).toBe(false);
    expect(() => createCheck({ items: pair })).toThrow(/not valid JSON Schema/);
  });

  it.each([
    "https://json-schema.org/draft/2019-09/schema",
    draft("07"),
    draft("06"),
    draft("04"),
    "https://json-schema.org/draft-07/schema",
  ])("%s: items may be a list, prefixItems is a word like any other", ($schema) => {
    expect(accepts({ $schema, items: pair }, ["a", "b"])).toBe(false);
    expect(accepts({ $schema, items: pair, additionalItems: false }, ["a", 1, 2])).toBe(false);
    expect(accepts({ $schema, prefixItems: pair }, ["a", "b"])).toBe(true);
  });

  it("2019-09: $recursiveRef and unevaluatedProperties", () => {
    const $schema = "https://json-schema.org/draft/2019-09/schema#";
    const tree = {
      $schema,
      type: "object",
      properties: { v: { type: "integer" }, kids: { items: { $recursiveRef: "#" } } },
      unevaluatedProperties: false,
    };
    expect(accepts(tree, { v: 1, kids: [{ v: 2 }] })).toBe(true);
    expect(accepts(tree, { v: 1, kids: [{ v: "x" }] })).toBe(false);
    expect(accepts(tree, { w: 1 })).toBe(false);
  });

  it("draft-07: if, then and else", () => {
    const schema = {
      $schema: draft("07"),
      if: { type: "string" },
      then: { minLength: 2 },
      else: { type: "number" },
    };
    expect(["ab", "a", 1, null].map((value) => accepts(schema, value))).toEqual([true, false, true, false]);
  });

  it("draft-06: const, contains, exclusiveMinimum", () => {
    const schema = { $schema: draft("06"), contains: { const: 5 }, items: { exclusiveMinimum: 3 } };
    expect([[5], [4], [5, 3]].map((value) => accepts(schema, value))).toEqual([true, false, false]);
  });

  it("draft-04: id and the boolean exclusive limits, at every level", () => {
    const schema = {
      $schema: draft("04"),
      id: "http://example.test/root",
      definitions: {
        small: {
          id: "#small",
          maximum: 10,
          exclusiveMaximum: true,
          minimum: 0,
          exclusiveMinimum: false,
        },
      },
      type: "object",
      properties: {
        id: { $ref: "#small" },
        list: { type: "array", items: { minimum: 1, exclusiveMinimum: true } },
      },
    };
    const before = JSON.stringify(schema);
    expect(
      [{ id: 9 }, { id: 10 }, { id: 0 }, { list: [1] }, { list: [1.5] }].map((value) => accepts(schema, value)),
    ).toEqual([true, false, true, false, true]);
    expect(JSON.stringify(schema)).toBe(before);
  });

  it.each([
    "http://json-schema.org/draft-03/schema#",
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://example.test/mine",
    "",
  ])("%j is refused with the tool alone", ($schema) => {
    const registry = createRegistry();
    const skipped = registry.replace("s", [
      toolOf({ name: "bad", parameters: { $schema, type: "object" } }),
      toolOf({}),
    ]);
    expect(skipped).toEqual([{ name: "bad", reason: expect.stringContaining("$schema") }]);
    expect(registry.list()).toHaveLength(1);
  });
});

describe("what servers write without naming a draft", () => {
  it("has draft-04's exclusive bounds where they are booleans", () => {
    const check = createCheck({ type: "object", properties: { n: { minimum: 0, exclusiveMinimum: true } } });
    expect(check.accepts({ n: 0 })).toBe(false);
    expect(check.accepts({ n: 1 })).toBe(true);
    const named = { $schema: "https://json-schema.org/draft/2020-12/schema", exclusiveMinimum: true };
    expect(() => createCheck(named)).toThrow();
  });

  it("may list a type twice", () => {
    const schema = { type: "object", properties: { a: { type: ["string", "null", "null"] } } };
    const check = createCheck(schema);
    expect([check.accepts({ a: null }), check.accepts({ a: 5 })]).toEqual([true, false]);
    expect(schema.properties.a.type).toHaveLength(3);
  });
});
