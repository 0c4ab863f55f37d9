import { describe, expect, test } from "vitest";
import { readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { createCheck } from "../../../src/schema/check.ts";
import type { JsonObject } from "../../../src/json/object.ts";

const ok = { 200: { description: "" } };

function read(document: object | string) {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  return readOpenApi(text, { name: "api", baseUrl: "https://api.example" });
}

/** JSON in which `__proto__` is a key, as only JSON.parse makes it. */
function readWith(paths: string, schemas = "{}") {
  return read(`{"openapi":"3.0.3","info":{},"components":{"schemas":${schemas}},"paths":${paths}}`);
}

function parametersOf({ operations: [operation], requestDefinitions }: ReturnType<typeof read>): JsonObject {
  const { text, reaches } = operation!.parameters;
  return JSON.parse(assembleSchema(text, reaches, requestDefinitions)) as JsonObject;
}

const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

describe.each(names)("a document with the name %s", (name) => {
  const key = JSON.stringify(name);

  test("as operationId and path parameter", () => {
    const found = readWith(`{"/a/{${name}}":{"get":{"operationId":${key},"responses":{}}}}`);
    expect(found.operations).toMatchObject([{ name: `api_${name}`, plan: { path: ["/a/", { in: "path", name }] } }]);
    expect(createCheck(parametersOf(found), { trusted: false }).accepts({})).toBe(false);
  });

  test("as a property and a definition", () => {
    const found = readWith(
      `{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"object","required":[${key},"b"],` +
        `"properties":{${key}:{"type":"integer"},"b":{"$ref":"#/components/schemas/${name}"}}}}}},"responses":{}}}}`,
      `{${key}:{"type":"string","minLength":2}}`,
    );
    const check = createCheck(parametersOf(found), { trusted: false });
    const others = name === "__proto__" ? {} : { [name]: 1 };
    expect(check.accepts({ ...others, b: "xy" })).toBe(true);
    expect(check.accepts({ ...others, b: "x" })).toBe(false);
  });

  test("as a part of a form with an encoding", () => {
    const found = readWith(
      `{"/a":{"post":{"requestBody":{"content":{"multipart/form-data":{"schema":{"type":"object","properties":{${key}:{"type":"string","format":"binary"}}},` +
        `"encoding":{${key}:{"contentType":"image/png"}}}}},"responses":{}}}}`,
    );
    expect(found.operations).toHaveLength(1);
    expect(({} as JsonObject)["contentType"]).toBeUndefined();
  });
});

describe("schemas that are meant to cost much", () => {
  const withSchemas = (schemas: object, root: string) =>
    read({
      openapi: "3.1.0",
      info: {},
      components: { schemas },
      paths: {
        "/bad": {
          post: {
            operationId: "bad",
            requestBody: { content: { "application/json": { schema: { $ref: `#/components/schemas/${root}` } } } },
            responses: ok,
          },
        },
        "/good": { get: { operationId: "good", responses: ok } },
      },
    });
  const namesOf = ({ operations }: ReturnType<typeof read>) => operations.map(({ name }) => name);

  test("a doubling of references is bounded", () => {
    const levels = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => {
        const next = { $ref: `#/components/schemas/L${level + 1}` };
        return [`L${level}`, { type: "object", properties: { a: next, b: next } }];
      }),
    );
    expect(namesOf(withSchemas({ ...levels, L40: { type: "string" } }, "L0"))).toContain("api_good");
  });

  test("a wide allOf of references, and circles of allOf, cost their operation at most", () => {
    const refs = Array.from({ length: 2000 }, (_, index) => ({ $ref: `#/components/schemas/P${index % 50}` }));
    const parts = Object.fromEntries(
      refs.slice(0, 50).map((_, index) => [`P${index}`, { properties: { [`p${index}`]: {} } }]),
    );
    expect(namesOf(withSchemas({ ...parts, Wide: { allOf: refs } }, "Wide"))).toContain("api_good");
    const circle = {
      A: { allOf: [{ $ref: "#/components/schemas/B" }] },
      B: { allOf: [{ $ref: "#/components/schemas/A" }] },
    };
    expect(namesOf(withSchemas(circle, "A"))).toContain("api_good");
  });

  test("a pattern that no engine of linear time takes, and one of a megabyte, are left out", () => {
    for (const pattern of ["^(?=a)b", "(a)\\1", "(?<!x)y", "a".repeat(1_000_000), "(", "(a+)+$"]) {
      const found = withSchemas({ T: { type: "object", properties: { t: { type: "string", pattern } } } }, "T");
      expect(namesOf(found)).toEqual(["api_bad", "api_good"]);
      expect(createCheck(parametersOf(found), { trusted: false }).accepts({ t: 1 })).toBe(false);
    }
  });
});

test.each([
  ["an empty file", ""],
  ["a web page", "<!doctype html><html><body>Not found</body></html>"],
  ["bytes", "\u0000\u0001\u0002PNG"],
  ["a list", "[]"],
  ["JSON that is not a document", '{"hello": "world"}'],
  ["deep JSON", `${"[".repeat(5000)}${"]".repeat(5000)}`],
  [
    "a YAML bomb",
    `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from(
      { length: 8 },
      (_, i) =>
        `${String.fromCharCode(98 + i)}: &${String.fromCharCode(98 + i)} [${Array(9)
          .fill(`*${String.fromCharCode(97 + i)}`)
          .join(",")}]`,
    ).join("\n")}`,
  ],
])("%s is refused with a reason", (_what, text) => {
  let reason: unknown;
  try {
    read(text);
  } catch (error) {
    reason = error;
  }
  expect(reason).toMatchObject({ name: "DocumentRefused", message: expect.stringMatching(/\w+ \w+/) as string });
});
