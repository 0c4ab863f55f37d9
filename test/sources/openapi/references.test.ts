import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";

/** The tool of an operation with one argument `p`. */
function read(schema: JsonObject, schemas: JsonObject, more: JsonObject = {}) {
  const get = { parameters: [{ name: "p", in: "query", schema }], responses: {} };
  const document = { openapi: "3.1.0", paths: { "/x": { get } }, components: { schemas }, ...more };
  const { operations, requestDefinitions, warnings } = readOpenApi(JSON.stringify(document), { name: "api" });
  const { text, reaches } = operations[0]!.parameters;
  const check = createCheck(JSON.parse(assembleSchema(text, reaches, requestDefinitions)) as JsonObject, {
    trusted: false,
  });
  return { accepts: (p: unknown) => check.accepts({ p }), warnings: warnings.map(({ message }) => message) };
}

describe("a reference of JSON Schema 2020-12", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["$anchor", { $ref: "#pet" }, { Pet: { $anchor: "pet", type: "integer" } }],
    ["$dynamicAnchor", { $ref: "#pet" }, { Pet: { $dynamicAnchor: "pet", type: "integer" } }],
    ["$dynamicRef", { $dynamicRef: "#pet" }, { Pet: { $dynamicAnchor: "pet", type: "integer" } }],
    ["$dynamicRef with a pointer", { $dynamicRef: "#/components/schemas/Pet" }, { Pet: { type: "integer" } }],
    ["$id", { $ref: "https://x.example/pet" }, { Pet: { $id: "https://x.example/pet", type: "integer" } }],
    ["a nested $anchor", { $ref: "#pet" }, { Pet: { properties: { a: { $anchor: "pet", type: "integer" } } } }],
    ["$ref before $dynamicRef", { $ref: "#pet", $dynamicRef: "#any" }, { Pet: { $anchor: "pet", type: "integer" } }],
  ])("is followed: %s", (_, schema, schemas) => {
    const { accepts, warnings } = read(schema, schemas);
    expect([accepts(1), accepts("a"), warnings]).toEqual([true, false, []]);
  });

  test("leads to a schema that refers to itself", () => {
    const { accepts } = read(
      { $dynamicRef: "#node" },
      { Node: { $dynamicAnchor: "node", type: "object", properties: { next: { $dynamicRef: "#node" } } } },
    );
    expect([accepts({ next: { next: {} } }), accepts({ next: { next: 1 } })]).toEqual([true, false]);
  });

  test.each<[string, JsonObject, JsonObject, string]>([
    ["no anchor", { $ref: "#gone" }, {}, "#gone leads to no schema"],
    ["no dynamic anchor", { $dynamicRef: "#gone" }, {}, "#gone leads to no schema"],
    ["an anchor in an example", { $ref: "#pet" }, { Pet: { example: { $anchor: "pet" } } }, "#pet leads to no schema"],
    [
      "a dynamic anchor that several schemas have",
      { $dynamicRef: "#item" },
      { A: { $dynamicAnchor: "item", not: {} }, B: { $dynamicAnchor: "item", type: "integer" } },
      "#item leads to several schemas",
    ],
    ["a circle", { $dynamicRef: "#a" }, { A: { $dynamicAnchor: "a", $dynamicRef: "#a" } }, "#a leads to no schema"],
  ])("that cannot be followed accepts anything, with a warning: %s", (_, schema, schemas, message) => {
    const { accepts, warnings } = read(schema, schemas);
    expect([accepts(1), accepts({})]).toEqual([true, true]);
    expect(warnings).toEqual([expect.stringContaining(message)]);
  });

  test("has no effect in OpenAPI 3.0, which does not have it", () => {
    const { accepts, warnings } = read(
      { $dynamicRef: "#pet", type: "string" },
      { Pet: { $dynamicAnchor: "pet", type: "integer" } },
      { openapi: "3.0.3" },
    );
    expect([accepts("a"), warnings]).toEqual([true, []]);
  });
});

describe("the dialect of schemas", () => {
  const known = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://spec.openapis.org/oas/3.1/dialect/2024-11-10",
  ];
  const unknown = ["http://json-schema.org/draft-07/schema#", "https://x.example/dialect"];

  test.each(known)("is known: %s", (uri) => {
    expect(read({ $schema: uri }, {}, { jsonSchemaDialect: uri }).warnings).toEqual([]);
  });

  test.each(unknown)("that is not known is a warning: %s", (uri) => {
    const message = expect.stringContaining(`${JSON.stringify(uri)} is not known`) as string;
    expect(read({}, {}, { jsonSchemaDialect: uri }).warnings).toEqual([message]);
    expect(read({ $schema: uri, items: { $schema: uri } }, {}).warnings).toEqual([message]);
  });
});

test("dependentRequired is kept", () => {
  const { accepts } = read({ type: "object", dependentRequired: { a: ["b"], c: "d" } }, {});
  expect([accepts({ a: 1, b: 1 }), accepts({ c: 1 }), accepts({ a: 1 })]).toEqual([true, true, false]);
});
