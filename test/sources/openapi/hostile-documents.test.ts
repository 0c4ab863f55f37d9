import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { readOpenApi, type ReadOpenApi } from "../../../src/sources/openapi/read-openapi.ts";
import { sizeOf } from "../../runs.ts";

const read = (text: string): ReadOpenApi => readOpenApi(text, { name: "api" });
const range = <Item>(length: number, make: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, at) => make(at));
const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A document whose one operation has a body, a parameter and an answer of the schema `S0`. */
function documentOf(schemas: JsonObject, type = "application/json"): string {
  const content = { [type]: { schema: refer("S0") } };
  const post = {
    parameters: [{ name: "p", in: "query", schema: refer("S0") }],
    requestBody: { content },
    responses: { 200: { content } },
  };
  return JSON.stringify({
    openapi: "3.1.0",
    components: { schemas },
    paths: { "/bomb": { post }, "/good": { get: {} } },
  });
}

/** Twelve levels, each with ten references to the next: short for a walk that keeps what it has seen, endless for others. */
function multiplying(keyword: string, last: JsonObject): Record<string, JsonObject> {
  const levels = range(12, (at) => [`S${at}`, { [keyword]: range(10, () => refer(`S${at + 1}`)) }]);
  const { S0, ...rest } = { ...Object.fromEntries(levels), S12: last } as Record<string, JsonObject>;
  return { S0: { type: "object", properties: { a: {} }, ...S0 }, ...rest };
}

/** The schemas as those of a property of `S0`. */
function withProperty({ S0, ...rest }: Record<string, JsonObject>): JsonObject {
  return { S0: { type: "object", properties: { file: refer("File") } }, File: S0, ...rest };
}

type Bomb = [name: string, schemas: JsonObject, type?: string];

const bombs: readonly Bomb[] = [
  [
    "doubling references",
    Object.fromEntries(range(40, (at) => [`S${at}`, { allOf: [refer(`S${at + 1}`), refer(`S${at + 1}`)] }])),
  ],
  [
    "a wide allOf of references",
    {
      S0: { allOf: range(sizeOf(20_000, 5000), (at) => refer(`S${(at % 500) + 1}`)) },
      ...Object.fromEntries(range(500, (at) => [`S${at + 1}`, { type: "object", properties: { [`a${at}`]: {} } }])),
    },
  ],
  [
    "properties that double",
    Object.fromEntries(
      range(40, (at) => [`S${at}`, { type: "object", properties: { a: refer(`S${at + 1}`), b: refer(`S${at + 1}`) } }]),
    ),
  ],
  ["a circle of allOf", { S0: { allOf: [refer("S1")] }, S1: { allOf: [refer("S0")] } }],
  ["a schema that is its own allOf twice", { S0: { allOf: [refer("S0"), refer("S0")] } }],
  [
    "a wide circle of allOf",
    Object.fromEntries(range(10, (at) => [`S${at}`, { allOf: range(10, (to) => refer(`S${to}`)) }])),
  ],
  ["an allOf that multiplies", multiplying("allOf", { type: "object", properties: { a: {} } })],
  ["an anyOf that multiplies beside properties", multiplying("anyOf", { required: ["a"] })],
  [
    "an anyOf that multiplies in a property of a form",
    withProperty(multiplying("anyOf", { type: "null" })),
    "multipart/form-data",
  ],
  ["a circle of references", { S0: refer("S1"), S1: refer("S0") }],
  ["a long chain of references", Object.fromEntries(range(5000, (at) => [`S${at}`, refer(`S${at + 1}`)]))],
  ["a chain of anyOf", Object.fromEntries(range(3000, (at) => [`S${at}`, { anyOf: [refer(`S${at + 1}`)] }]))],
  ["megabytes of a pattern", { S0: { type: "string", pattern: "(a|b)*".repeat(200_000) } }],
  ["megabytes of a description", { S0: { type: "string", description: "x".repeat(3_000_000) } }],
  ["a large enum", { S0: { enum: range(sizeOf(100_000, 30_000), String) } }],
  [
    "many properties",
    { S0: { type: "object", properties: Object.fromEntries(range(sizeOf(20_000, 5000), (at) => [`p${at}`, {}])) } },
  ],
  ["a reference to the whole document", { S0: { $ref: "#" } }],
  ["references to values that are not schemas", { S0: { $ref: "#/openapi" } }],
];

describe("a hostile document costs one operation at most, soon", () => {
  test.each<Bomb>(bombs)(
    "%s",
    (_, schemas, type) => {
      const { operations, skipped, requestDefinitions } = read(documentOf(schemas, type));
      expect(operations.map(({ path }) => path)).toContain("/good");
      expect(operations.length + skipped.length).toBe(2);
      for (const { reason } of skipped) expect(reason.length).toBeLessThan(500);
      for (const { parameters } of operations) {
        const schema = JSON.parse(
          assembleSchema(parameters.text, parameters.reaches, requestDefinitions),
        ) as JsonObject;
        expect(() => createCheck(schema, { trusted: false })).not.toThrow();
      }
    },
    20_000,
  );
});

const deep = 200_000;
test.each([
  ["an empty file", ""],
  ["white space", " \n\n"],
  ["a page of HTML", "<!DOCTYPE html>\n<html><body>Sign in</body></html>"],
  ["XML", '<?xml version="1.0"?><definitions/>'],
  ["bytes of a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa, 0, 0xff, 0xfe]).toString()],
  ["a zip", Buffer.from([0x50, 0x4b, 3, 4, 0x14, 0, 0, 0, 8, 0]).toString()],
  ["a text", "Not found"],
  ["null", "null"],
  ["two documents", "openapi: 3.0.3\n---\nopenapi: 3.0.3\n"],
  ["deep JSON", `{"openapi":"3.0.3","x":${"[".repeat(deep)}${"]".repeat(deep)}}`],
  ["deep JSON without an end", '{"a":'.repeat(deep)],
  ["deep YAML in flow style", `openapi: 3.0.3\nx: ${"[".repeat(deep)}${"]".repeat(deep)}`],
  ["deep YAML in block style", `openapi: 3.0.3\n${range(3000, (at) => `${" ".repeat(at)}a:`).join("\n")}`],
  [
    "an alias bomb",
    `openapi: 3.0.3\na0: &a0 [x]\n${range(30, (at) => `a${at + 1}: &a${at + 1} [${range(10, () => `*a${at}`).join(", ")}]`).join("\n")}`,
  ],
  ["a circle of aliases", "openapi: 3.0.3\npaths: &p { /a: *p }"],
])(
  "%s is refused with a reason, or has no operation",
  (_, text) => {
    let reason = "";
    try {
      expect(read(text).operations).toEqual([]);
    } catch (error) {
      reason = (error as Error).message;
      expect((error as Error).name).toBe("DocumentRefused");
      expect(reason).not.toMatch(/stack|undefined|\/work|RangeError/);
      expect(reason.length).toBeLessThan(300);
    }
  },
  20_000,
);

test.each([
  ["", "the document is empty"],
  ["\uFEFF \n", "the document is empty"],
  ["<!doctype html><p>Sign in</p>", "the document is a page of HTML or XML, not OpenAPI in JSON or YAML"],
  ["PK\u0003\u0004\0\0", "the document is not a text"],
])("%j is refused because %s", (text, reason) => {
  expect(() => read(text)).toThrow(reason);
});
