import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";

const text = { type: "string" };
const components = {
  schemas: {
    File: { type: "string", format: "binary" },
    WithFile: { type: "object", required: ["file"], properties: { file: { $ref: "#/components/schemas/File" } } },
    NeedsB: { required: ["b"] },
  },
};

function toolOf(schema: JsonObject, { required = true, type = "application/json", parameters = [] as unknown[] } = {}) {
  const post = { parameters, requestBody: { required, content: { [type]: { schema } } } };
  const document = { openapi: "3.1.0", paths: { "/p": { post } }, components };
  const { operations, requestDefinitions } = readOpenApi(JSON.stringify(document), { name: "api" });
  const operation = operations[0]!;
  const declared = assembleSchema(operation.parameters.text, operation.parameters.reaches, requestDefinitions);
  const listed = JSON.parse(declared) as JsonObject;
  const check = createCheck(listed, { trusted: false });
  return {
    body: operation.plan.body,
    names: Object.keys(listed["properties"] as JsonObject),
    accepts: (value: unknown) => check.accepts(value),
  };
}

describe("the properties of a body are arguments", () => {
  const properties = { a: text, b: text, c: text };

  test.each<[string, JsonObject]>([
    ["may be null (3.0)", { nullable: true }],
    ["may be null (3.1)", { type: ["object", "null"] }],
  ])("if the body %s", (_, keywords) => {
    const { names, accepts } = toolOf({ type: "object", properties, required: ["a"], ...keywords });
    expect(names).toEqual(["a", "b", "c"]);
    expect([accepts({ a: "1" }), accepts({})]).toEqual([true, false]);
  });

  test.each<[JsonObject, JsonObject[], JsonObject[]]>([
    [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, [{ a: "1" }, { b: "1" }], [{}, { c: "1" }]],
    [{ oneOf: [{ required: ["a"] }, { $ref: "#/components/schemas/NeedsB" }] }, [{ a: "1" }], [{ a: "1", b: "1" }]],
    [
      {
        anyOf: [
          { properties: { a: { const: "done" } }, required: ["a", "b"], additionalProperties: true },
          { properties: { a: { enum: ["open"] } } },
        ],
      },
      [{ a: "done", b: "1" }, { a: "open" }],
      [{ a: "done" }],
    ],
    [
      { if: { properties: { a: { const: "x" } }, required: ["a"] }, then: { required: ["b"] } },
      [{ a: "y" }],
      [{ a: "x" }],
    ],
    [{ not: { required: ["a", "b"] } }, [{ a: "1" }], [{ a: "1", b: "1" }]],
    [{ dependentRequired: { a: ["b"] } }, [{ b: "1" }, { a: "1", b: "1" }], [{ a: "1" }]],
    [
      { allOf: [{ anyOf: [{ required: ["a"] }] }, { not: { required: ["b"] } }] },
      [{ a: "1" }],
      [{}, { a: "1", b: "1" }],
    ],
    [{ additionalProperties: { type: "integer" } }, [{ d: 1 }], [{ d: "1" }]],
    [{ additionalProperties: false }, [{ a: "1" }], [{ d: 1 }]],
  ])("and %j still counts", (keywords, good, bad) => {
    const { names, accepts } = toolOf({ type: "object", properties, ...keywords });
    expect(names).toEqual(["a", "b", "c"]);
    for (const value of good) expect(accepts(value), JSON.stringify(value)).toBe(true);
    for (const value of bad) expect(accepts(value), JSON.stringify(value)).toBe(false);
  });

  test("and a condition is about the arguments that have another name", () => {
    const parameters = [{ in: "query", name: "a", schema: text }];
    const { names, accepts } = toolOf({ type: "object", properties, anyOf: [{ required: ["a"] }] }, { parameters });
    expect(names).toEqual(["a", "a_body", "b", "c"]);
    expect([accepts({ a: "1" }), accepts({ a_body: "1" })]).toEqual([false, true]);
  });

  test("and a body that may be absent has no conditions", () => {
    const { accepts } = toolOf({ type: "object", properties, anyOf: [{ required: ["a"] }] }, { required: false });
    expect(accepts({})).toBe(true);
  });

  test.each<JsonObject>([
    { oneOf: [{ properties: { d: text } }, { properties: { e: text } }] },
    { oneOf: [{ required: ["a"], additionalProperties: false, properties: { a: text } }] },
    { patternProperties: { "^x-": text } },
    { type: ["object", "string"] },
  ])("but with %j the body is one argument", (keywords) => {
    expect(toolOf({ type: "object", properties, ...keywords }).names).toEqual(["body"]);
  });
});

describe("a property of a multipart body is a file", () => {
  const binary = { type: "string", format: "binary" };
  test.each<[string, JsonObject]>([
    ["in a member of allOf", { allOf: [{ $ref: "#/components/schemas/WithFile" }, { properties: { note: text } }] }],
    ["that may be null", { properties: { file: { anyOf: [binary, { type: "null" }] } } }],
    ["or null by its type", { properties: { file: { type: ["string", "null"], format: "binary" } } }],
    ["by allOf", { properties: { file: { allOf: [{ $ref: "#/components/schemas/File" }], description: "A file." } } }],
    [
      "in a list that may be null",
      { properties: { file: { anyOf: [{ type: "array", items: binary }, { type: "null" }] } } },
    ],
  ])("%s", (_, schema) => {
    const { body } = toolOf({ type: "object", ...schema }, { type: "multipart/form-data" });
    expect(body?.encoding).toEqual({ file: { isFile: true } });
  });
});
