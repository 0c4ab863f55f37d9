import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { assembleSchema } from "../../../src/sources/openapi/declaration/assemble.ts";
import { type OpenApiOptions, type ReadOpenApi, readOpenApi } from "../../../src/sources/openapi/read-openapi.ts";
import { sizeOf } from "../../runs.ts";

function read(document: JsonObject, options: Partial<OpenApiOptions> = {}): ReadOpenApi {
  return readOpenApi(JSON.stringify({ openapi: "3.0.3", ...document }), { name: "api", ...options });
}

function toolOf(document: JsonObject, index = 0) {
  const { operations, requestDefinitions } = read(document);
  const { parameters, ...operation } = operations[index]!;
  const text = assembleSchema(parameters.text, parameters.reaches, requestDefinitions);
  const schema = JSON.parse(text) as JsonObject;
  const check = createCheck(schema, { trusted: false });
  return { ...operation, text, schema, accepts: (value: unknown) => check.accepts(value) };
}

const json = (schema: JsonObject) => ({ content: { "application/json": { schema } } });

describe("an operation's arguments", () => {
  test("are its parameters and the properties of its body; a name in several places gets the place behind it", () => {
    const { plan, schema } = toolOf({
      paths: {
        "/pets/{id}": {
          parameters: [{ in: "path", name: "id", required: true, schema: { type: "string" } }],
          put: {
            parameters: [{ in: "header", name: "id", schema: { type: "string" } }],
            requestBody: json({ type: "object", properties: { id: { type: "integer" }, name: { type: "string" } } }),
          },
        },
      },
    });
    expect(Object.keys(schema["properties"] as JsonObject)).toEqual(["id", "id_header", "id_body", "name"]);
    expect(plan.path).toEqual(["/pets/", expect.objectContaining({ argument: "id", style: "simple" })]);
    expect(plan.body?.from).toEqual({
      properties: [
        ["id_body", "id"],
        ["name", "name"],
      ],
      takesOthers: false,
    });
  });

  test("a path parameter that the document forgot is a required string, and one that the path lacks is left out", () => {
    const { schema } = toolOf({
      paths: { "/a/{x}": { get: { parameters: [{ in: "path", name: "y", schema: {} }] } } },
    });
    expect(schema).toMatchObject({ properties: { x: { type: "string" } }, required: ["x"] });
    expect(schema["properties"]).not.toHaveProperty("y");
  });

  test.each([
    ["csv", "path", "simple"],
    ["ssv", "path", "spaceDelimited"],
    ["pipes", "path", "pipeDelimited"],
    ["tsv", "header", "tabDelimited"],
    ["multi", "header", "simple"],
    ["pipes", "query", "pipeDelimited"],
  ])("have the style of the collectionFormat %s of Swagger 2.0 in %s", (collectionFormat, place, style) => {
    const ids = { in: place, name: "ids", type: "array", items: { type: "integer" }, collectionFormat };
    const path = place === "path" ? "/p/{ids}" : "/p";
    const { plan } = toolOf({ openapi: undefined, swagger: "2.0", paths: { [path]: { get: { parameters: [ids] } } } });
    expect([...plan.path, ...plan.parameters]).toContainEqual(expect.objectContaining({ name: "ids", style }));
  });

  test("recursive and indirect schemas keep their checks, without references to components", () => {
    const node = (name: string) => ({
      type: "object",
      required: ["v"],
      properties: { v: { type: "integer" }, kids: { type: "array", items: { $ref: `#/components/schemas/${name}` } } },
    });
    const { accepts, text } = toolOf({
      paths: { "/n": { post: { requestBody: json({ $ref: "#/components/schemas/A" }) } } },
      components: { schemas: { A: node("B"), B: node("A") } },
    });
    expect(text).not.toContain("#/components");
    expect(accepts({ v: 1, kids: [{ v: 2, kids: [{ v: 3 }] }] })).toBe(true);
    expect(accepts({ v: 1, kids: [{ v: 2, kids: [{ v: "x" }] }] })).toBe(false);
  });

  test.each([
    [{ type: "string", nullable: false }, "a", [5, null]],
    [{ type: "string", nullable: true }, null, [5]],
    [{ type: "integer", minimum: 1, exclusiveMinimum: true }, 2, [1]],
    [{ type: "string", enum: ["a"], nullable: true }, null, ["b"]],
    [{ type: "list", items: [] }, [1], ["a"]],
    [{ $ref: "#/components/schemas/Limit" }, 5, ["3", 9]],
    [{ $ref: "#/components/schemas/Nothing" }, { any: 1 }, []],
  ])("%j accepts %j alone", (schema, good, bad) => {
    const { accepts } = toolOf({
      paths: { "/q": { get: { parameters: [{ in: "query", name: "q", required: true, schema }] } } },
      components: { schemas: { Limit: { type: "integer", maximum: 5 } } },
    });
    expect(accepts({ q: good })).toBe(true);
    for (const value of bad) expect(accepts({ q: value }), JSON.stringify(value)).toBe(false);
    expect(accepts({})).toBe(false);
  });

  test("a body of JSON is preferred to a form, and all members of allOf count", () => {
    const part = (name: string) => ({ type: "object", required: [name], properties: { [name]: { type: "string" } } });
    const schema = { allOf: [{ $ref: "#/components/schemas/A" }, part("b")] };
    const content = { "application/x-www-form-urlencoded": { schema }, "application/json": { schema } };
    const { plan, accepts } = toolOf({
      paths: { "/p": { post: { requestBody: { required: true, content } } } },
      components: { schemas: { A: part("a") } },
    });
    expect(plan.body).toMatchObject({ mediaType: "application/json", kind: "json", isRequired: true });
    expect([accepts({ a: "1", b: "2" }), accepts({ a: "1" })]).toEqual([true, false]);
  });
});

describe("the tools of a document", () => {
  test("have the names of the contract, whatever two operations share", () => {
    const { operations } = read({
      paths: {
        "/pets/{id}": { get: {} },
        "/a": { get: { operationId: "same" }, post: { operationId: "same" } },
        "/long": { get: { operationId: "x".repeat(80) } },
        "/b": { get: { operationId: "u.v" }, post: { operationId: "u v" } },
      },
    });
    const names = operations.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(["api_get_pets_id", "api_get_a", "api_post_a"]);
    expect(names[3]).toMatch(/^api_x{51}_[0-9a-f]{8}$/);
    expect(names[4]).toMatch(/^api_u_v_[0-9a-f]{8}$/);
    expect(new Set(names).size).toBe(names.length);
  });

  test("are those that include and exclude name", () => {
    const paths = { "/pets": { get: {} }, "/pets/{id}": { get: {}, delete: {} }, "/pets/{id}/toys": { get: {} } };
    const namesWith = (options: Partial<OpenApiOptions>) => read({ paths }, options).operations.map(({ name }) => name);
    expect(namesWith({ include: ["GET /pets/*"] })).toEqual(["api_get_pets_id"]);
    expect(namesWith({ include: ["GET /pets/**"] })).toEqual(["api_get_pets_id", "api_get_pets_id_toys"]);
    expect(namesWith({ exclude: ["* /pets/**"] })).toEqual(["api_get_pets"]);
  });

  test.each<[string, unknown, Record<string, string>, string | undefined, RegExp[]]>([
    ["a value", { v: { default: "v1", enum: ["v1", "v2"] } }, { v: "v2" }, "https://a.example/v2", []],
    ["its default", { v: { default: 1 } }, {}, "https://a.example/1", []],
    ["no value", {}, {}, undefined, [/the variable "v" .* has no value; set it in "serverVariables"/]],
    ["no default", { v: { enum: ["v1"] } }, {}, undefined, [/the variable "v" /]],
    [
      "another value",
      { v: { default: "v1", enum: ["v1"] } },
      { v: "v9" },
      "https://a.example/v9",
      [/\.v is not one of/],
    ],
    ["another name", { v: { default: "v1" } }, { w: "v9" }, "https://a.example/v1", [/\.w has no effect/]],
  ])("have the server whose variable has %s", (_, variables, serverVariables, baseUrl, warnings) => {
    const servers = [{ url: "https://a.example/{v}", variables }];
    const found = read({ servers, paths: { "/a": { get: {} }, "/b": { servers, get: {} } } }, { serverVariables });
    expect(found.baseUrl).toBe(baseUrl);
    expect(found.warnings.map(({ message }) => message)).toEqual(warnings.map((each) => expect.stringMatching(each)));
    expect(found.skipped).toEqual(
      baseUrl === undefined ? [expect.objectContaining({ reason: "a variable of its server has no value" })] : [],
    );
    const documentUrl = "https://docs.example/openapi.json";
    expect(read({ servers, paths: {} }, { serverVariables, documentUrl }).baseUrl).toBe(baseUrl);
  });

  test("do not contain an operation with a server on another origin, which is reported with its line", () => {
    const text = JSON.stringify(
      {
        openapi: "3.1.0",
        servers: [{ url: "https://{r}.example/v1", variables: { r: { default: "eu" } } }],
        paths: {
          "/a": { get: { servers: [{ url: "https://other.example" }] } },
          "/b": { get: { servers: [{ url: "https://eu.example/v2" }] } },
        },
      },
      null,
      1,
    );
    const { operations, skipped, baseUrl } = readOpenApi(text, { name: "api" });
    expect(baseUrl).toBe("https://eu.example/v1");
    expect(operations.map(({ plan }) => plan.basePath)).toEqual(["/v2"]);
    expect(skipped).toEqual([{ operation: "GET /a", reason: expect.stringContaining("another origin"), line: 15 }]);
  });

  test.each(["{", "a: 1", "[]", "a: &a [*a]", '{"openapi":"4.0.0"}'])("%s is refused whole", (text) => {
    expect(() => readOpenApi(text, { name: "api" })).toThrow(/document|line/);
  });
});

describe("a schema that cannot be used", () => {
  const wide = { type: "object", properties: Object.fromEntries([...Array(501).keys()].map((n) => [`p${n}`, {}])) };
  const paths = (schema: JsonObject, answer: JsonObject) => ({
    paths: {
      "/a": {
        post: {
          operationId: "a",
          requestBody: json({ type: "array", items: schema }),
          responses: { 200: json(answer) },
        },
      },
    },
  });

  test("skips the operation if it is of the arguments", () => {
    const { operations, skipped } = read(paths(wide, {}));
    expect(operations).toEqual([]);
    expect(skipped).toEqual([
      { operation: "POST /a", reason: expect.stringContaining("over 500 properties"), line: 1 },
    ]);
  });

  test("is left out with a warning if it is of the results", () => {
    const { operations, warnings } = read(paths({ type: "string" }, wide));
    expect(operations).toEqual([expect.not.objectContaining({ response: expect.anything() })]);
    expect(warnings).toEqual([
      { name: "api_a", path: "/response", message: expect.stringContaining("over 500 properties") },
    ]);
  });

  test("accepts any value if it is only a reference that leads nowhere, with a warning", () => {
    const { warnings, operations } = read(paths({ $ref: "#/components/schemas/Gone" }, { $ref: "other.yaml#/X" }));
    expect(operations.length).toBe(1);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("#/components/schemas/Gone leads to no schema"),
      expect.stringContaining("other.yaml#/X leads to no schema"),
    ]);
  });
});

describe("a document in YAML", () => {
  const operationsOf = (text: string) => readOpenApi(text, { name: "api" }).operations;

  test("may have merge keys: own members are kept, and the first object of a list has a member", () => {
    const [a, b, c] = operationsOf(`
openapi: 3.0.3
x-list: &list { in: query, name: limit, schema: { type: integer } }
x-one: &one { operationId: one, description: One., tags: [x] }
x-two: &two { description: Two., parameters: [{ <<: *list, name: size }] }
paths:
  /a: { get: { operationId: a, <<: *two } }
  /b: { get: { <<: [*one, *two], operationId: b } }
  /c: { get: { operationId: c, "<<": text } }
`);
    expect(a).toMatchObject({
      name: "api_a",
      description: "Two.",
      plan: { parameters: [{ name: "size", in: "query" }] },
    });
    expect(b).toMatchObject({
      name: "api_b",
      description: "One.",
      tags: ["x"],
      plan: { parameters: [{ name: "size" }] },
    });
    expect(c).toMatchObject({ name: "api_c" });
  });

  test("may have many aliases, and no merge key makes a prototype", () => {
    const length = sizeOf(1000, 300);
    const paths = Array.from({ length }, (_, index) => `  /p${index}: { get: { <<: *get, parameters: *list } }`);
    const lists = "&list [{ in: query, name: q, schema: { type: string } }]";
    const text = `openapi: 3.0.3\nx-l: ${lists}\nx-g: &get { __proto__: { x: 1 }, tags: [x] }\npaths:\n${paths.join("\n")}`;
    const operations = operationsOf(text);
    expect(operations).toHaveLength(length);
    expect(operations.at(-1)).toMatchObject({ tags: ["x"], plan: { parameters: [{ name: "q" }] } });
  });
});

test("each operation has its line, in JSON and in YAML", () => {
  const paths = { "/a": { get: {}, put: {} }, "/b": { get: {} } };
  const text = JSON.stringify({ openapi: "3.0.0", paths }, null, 1);
  expect(readOpenApi(text, { name: "api" }).operations.map(({ line }) => line)).toEqual([5, 6, 9]);
  const yaml = 'openapi: 3.0.0\npaths:\n  /a:\n    get: {}\n    put: {}\n  "/b":\n    get: {}\n';
  expect(readOpenApi(yaml, { name: "api" }).operations.map(({ line }) => line)).toEqual([4, 5, 7]);
});

describe("a hostile document is refused in words", () => {
  const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

  test.each([
    [
      "a value nested over 1,000 levels",
      `{"openapi":"3.0.3","x":${nested("[", "]", 100_000)},"paths":{}}`,
      /too deeply/,
    ],
    ["YAML nested too deeply", `openapi: 3.0.3\nx: ${nested("[", "]", 10_000)}`, /too deeply/],
    [
      "over 20,000 operations",
      JSON.stringify({
        openapi: "3.0.3",
        paths: Object.fromEntries([...Array(20_001).keys()].map((n) => [`/p${n}`, { get: {} }])),
      }),
      /over 20000 operations/,
    ],
  ])("%s", (_, text, message) => {
    expect(() => readOpenApi(text, { name: "api" })).toThrow(message);
  });
});

test("the methods of OpenAPI 3.2's additionalOperations are tools", () => {
  const operation = { operationId: "copyPet", responses: {} };
  const document = { openapi: "3.2.0", info: {}, paths: { "/pets": { additionalOperations: { COPY: operation } } } };
  const { operations } = readOpenApi(JSON.stringify(document), { name: "api", baseUrl: "https://a.example" });
  expect(operations).toMatchObject([{ name: "api_copyPet", method: "COPY", annotations: { readOnly: false } }]);
});
