import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";

function read(schema: JsonObject) {
  const document = {
    openapi: "3.1.0",
    paths: { "/a": { get: { parameters: [{ name: "p", in: "query", schema }] } } },
  };
  const { operations, warnings, requestDefinitions, skipped } = readOpenApi(JSON.stringify(document), { name: "api" });
  expect(skipped).toEqual([]);
  const { text, reaches } = operations[0]!.parameters;
  const check = createCheck(JSON.parse(assembleSchema(text, reaches, requestDefinitions)) as JsonObject, {
    trusted: false,
  });
  return { warnings, text, accepts: (p: unknown) => check.accepts({ p }) };
}

const refused = [
  "^(?!x)",
  "(?<=a)b",
  "(a)\\1",
  "(?<n>a)\\k<n>",
  "(",
  "a{1001}",
  "(?:(?:a{50}){50}){50}",
  "a".repeat(1001),
  "a".repeat(1_000_000),
  "(?:".repeat(300) + "a" + ")".repeat(300),
  "\\p{Script_Extensions=Greek}",
];

describe("a pattern that the linear engine refuses is left out with a warning", () => {
  test.each(refused.map((pattern) => [pattern.slice(0, 30), pattern]))("%s", (_, pattern) => {
    const { warnings, text, accepts } = read({ type: "string", pattern });
    expect(text).not.toContain('"pattern"');
    expect(accepts("anything")).toBe(true);
    expect(warnings).toEqual([
      { name: "api", message: expect.stringMatching(/^the pattern ".*the pattern is left out$/s) },
    ]);
    expect(warnings[0]!.message.length).toBeLessThan(250);
  });

  test("beside additionalProperties: false, what the pattern allowed stays allowed", () => {
    const { accepts } = read({
      type: "object",
      properties: { id: { type: "integer" } },
      patternProperties: { "^(?=x)": {} },
      additionalProperties: false,
    });
    expect([accepts({ id: 1, x: 1 }), accepts({ id: "a" })]).toEqual([true, false]);
  });

  test("in not, it refuses nothing", () => {
    expect(read({ not: { pattern: "(?=x)" } }).accepts("x")).toBe(true);
    expect(read({ type: "string", not: {} }).accepts("x")).toBe(false);
  });
});

test("a pattern of the linear engine stays", () => {
  const { warnings, accepts } = read({ type: "string", pattern: "^\\p{L}+(?:-[a-z]{2,8})*$" });
  expect(warnings).toEqual([]);
  expect([accepts("é-ab"), accepts("-")]).toEqual([true, false]);
});

test("a document with many refused patterns has twenty warnings about them", () => {
  expect(
    read({ anyOf: Array.from({ length: 60 }, (_, index) => ({ pattern: `(?=${index})` })) }).warnings,
  ).toHaveLength(20);
});
