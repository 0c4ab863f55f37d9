import { existsSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/json/object.ts";
import type { JsonSchema } from "../../../../src/schema/json-schema.ts";
import { createRegistry } from "../../../../src/core/registry/registry.ts";
import type { Tool } from "../../../../src/tool/tool.ts";
import { createApp } from "../../../../src/http/app.ts";
import { type ImportedDocument, importTools } from "./simple-importer.ts";

interface Operation {
  readonly operationId: string;
  readonly requestBody: { readonly required: boolean };
  readonly [field: string]: unknown;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: Operation; readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

function makeTool(name: string, parameters: JsonSchema = { type: "object" }, more: Partial<Tool> = {}): Tool {
  return { name, description: `What ${name} does.`, parameters, execute: () => null, ...more };
}

async function documentOf(...tools: readonly Tool[]): Promise<Document> {
  const answer = await createApp({ registry: createRegistry({ tools, env: {} }) }).request("/openapi.json");
  expect(answer.status).toBe(200);
  return (await answer.json()) as Document;
}

/** The whole document as one schema of plain ajv, so that every reference means what it means to a reader. */
function readerOf(document: Document): (component: string) => (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  ajv.addSchema(document, "document");
  return (component) => ajv.compile({ $ref: `document#/components/schemas/${component}` });
}

async function readerOfParameters(parameters: JsonSchema): Promise<(value: unknown) => boolean> {
  return readerOf(await documentOf(makeTool("t", parameters)))("TArguments");
}

function operationIds(document: Document): string[] {
  return Object.values(document.paths).flatMap(({ get, post }) =>
    [get, post].flatMap((each) => each?.operationId ?? []),
  );
}

/** Every `$ref` that points at nothing in the document. */
function danglingRefs(document: Document): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const ref = (node as JsonObject)["$ref"];
    if (typeof ref === "string" && !resolves(ref)) found.push(ref);
    Object.values(node).forEach(visit);
  };
  const resolves = (ref: string): boolean => {
    let at: unknown = document;
    for (const token of ref.slice(2).split("/")) at = (at as JsonObject | undefined)?.[token.replaceAll("~1", "/")];
    return ref.startsWith("#/") && at !== undefined;
  };
  visit(document);
  return found;
}

describe("the operation of a tool", () => {
  test("has the tool's own words, types, and the errors that every call can have", async () => {
    const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const response = { type: "object", properties: { degrees: { type: "number" } } };
    const document = await documentOf(
      makeTool("get_weather", parameters, { title: "Weather", tags: ["weather"], response }),
    );
    const generic = document.paths["/tools/{name}/invoke"]!.post!;
    const typed = document.paths["/tools/get_weather/invoke"]!.post!;
    expect(typed).toMatchObject({
      operationId: "invokeGetWeather",
      summary: "Weather",
      description: "What get_weather does.",
      tags: ["weather"],
      // Its name is in its path.
      parameters: (generic["parameters"] as { name: string }[]).filter(({ name }) => name !== "name"),
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/GetWeatherArguments" } } },
      },
      responses: {
        ...(generic["responses"] as JsonObject),
        200: { content: { "application/json": { schema: { $ref: "#/components/schemas/GetWeatherOutcome" } } } },
      },
    });
    const { schemas } = document.components;
    expect(schemas["GetWeatherArguments"]).toEqual(parameters);
    expect(schemas["GetWeatherResult"]).toEqual(response);
    expect(schemas["GetWeatherOutcome"]).toMatchObject({
      oneOf: [{ $ref: "#/components/schemas/GetWeatherSuccess" }, { $ref: "#/components/schemas/Failure" }],
      discriminator: {
        propertyName: "status",
        mapping: { ok: "#/components/schemas/GetWeatherSuccess", error: "#/components/schemas/Failure" },
      },
    });
  });

  test("asks for a body where the tool asks for an argument", async () => {
    const document = await documentOf(makeTool("none"), makeTool("some", { type: "object", required: ["a"] }));
    expect(document.paths["/tools/none/invoke"]?.post?.requestBody.required).toBe(false);
    expect(document.paths["/tools/some/invoke"]?.post?.requestBody.required).toBe(true);
  });

  test("is there for listed tools alone, and follows the registry", async () => {
    const registry = createRegistry({
      tools: [makeTool("here"), makeTool("off", undefined, { requires: ["KEY"] })],
      env: {},
    });
    const app = createApp({ registry });
    const paths = async (): Promise<string[]> => {
      const document = (await (await app.request("/openapi.json")).json()) as Document;
      return Object.keys(document.paths);
    };
    expect(await paths()).toContain("/tools/here/invoke");
    expect(await paths()).not.toContain("/tools/off/invoke");
    registry.remove("here");
    expect(await paths()).not.toContain("/tools/here/invoke");
  });
});

describe("names", () => {
  const nasty = ["get_x", "getX", "get-x", "Getx", "tool", "Tool", "tool_", "_", "__", "_-", "_1", "tool_1"];
  const likeOurs = ["call", "calls", "status", "get", "get_arguments", "Success", "outcome", "constructor", "toString"];
  const tools = [...nasty, ...likeOurs].map((name) => makeTool(name));

  test("are unique, without regard to case", async () => {
    const document = await documentOf(...tools);
    const ids = operationIds(document).map((id) => id.toLowerCase());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith("invoke"))).toHaveLength(tools.length + 1);
    const components = Object.keys(document.components.schemas);
    expect(new Set(components.map((name) => name.toLowerCase())).size).toBe(components.length);
    for (const name of components) expect(name).toMatch(/^[a-zA-Z0-9._-]+$/);
    expect(danglingRefs(document)).toEqual([]);
  });

  test("leave the fixed operations and schemas as they are", async () => {
    const [without, having] = [await documentOf(), await documentOf(...tools)];
    expect(having.components.schemas).toMatchObject(without.components.schemas);
    expect(having.paths).toMatchObject(without.paths);
  });

  test("do not pass from one tool to another when tools come and go", async () => {
    const idOf = (document: Document, name: string): string =>
      document.paths[`/tools/${name}/invoke`]!.post!.operationId;
    const two = await documentOf(makeTool("get_x"), makeTool("getX"));
    const three = await documentOf(makeTool("get_x"), makeTool("getX"), makeTool("get-x"));
    expect(idOf(three, "get_x")).toBe(idOf(two, "get_x"));
    expect(idOf(three, "getX")).toBe(idOf(two, "getX"));
  });
});

describe("a tool's schema keeps its meaning in the document", () => {
  test("with $defs, recursion, escapes and anchors", async () => {
    const accepts = await readerOfParameters({
      type: "object",
      properties: {
        tree: { $ref: "#/$defs/tree~1node" },
        self: { $ref: "#" },
        named: { $ref: "#here" },
        a: { $ref: "#/$defs/a%20b" },
      },
      additionalProperties: false,
      $defs: {
        "tree/node": {
          type: "object",
          properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#/$defs/tree~1node" } } },
          required: ["value"],
        },
        "a b": { const: 1 },
        here: { $anchor: "here", type: "string" },
      },
    });
    expect(accepts({ tree: { value: 1, children: [{ value: 2 }] }, self: { named: "x" }, a: 1 })).toBe(true);
    expect(accepts({ tree: { value: 1, children: [{}] } })).toBe(false);
    expect(accepts({ self: { named: 1 } })).toBe(false);
    expect(accepts({ self: { self: { other: 1 } } })).toBe(false);
    expect(accepts({ a: 2 })).toBe(false);
  });

  test("with references to its properties, by its own address, and dynamic ones", async () => {
    const accepts = await readerOfParameters({
      $id: "https://example.com/one.json",
      $dynamicAnchor: "node",
      type: "object",
      properties: {
        first: { type: "integer" },
        second: { $ref: "#/properties/first", minimum: 3 },
        third: { $ref: "one.json#/properties/first" },
        inner: { $dynamicRef: "#node" },
      },
    });
    expect(accepts({ first: 1, second: 3, third: 1, inner: { second: 4 } })).toBe(true);
    for (const wrong of [{ second: 2 }, { third: "x" }, { inner: { second: 2 } }]) expect(accepts(wrong)).toBe(false);
  });

  test("with schemas inside that have an address, and references relative to it", async () => {
    const accepts = await readerOfParameters({
      type: "object",
      properties: { a: { $ref: "https://example.com/b" }, c: { $ref: "#/$defs/b/properties/d" } },
      $defs: {
        b: {
          $id: "https://example.com/b",
          properties: { d: { $ref: "#/$defs/text" } },
          $defs: { text: { type: "string" } },
        },
      },
    });
    expect(accepts({ a: { d: "x" }, c: "x" })).toBe(true);
    expect(accepts({ a: { d: 1 } })).toBe(false);
    expect(accepts({ c: 1 })).toBe(false);
  });

  test("with the words of draft-07", async () => {
    const accepts = await readerOfParameters({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "string" }, { $ref: "#/definitions/count" }], additionalItems: false },
        rest: { type: "array", items: [{ type: "string" }], additionalItems: { type: "boolean" } },
        third: { $ref: "#/properties/pair/items/0" },
        // Not a word of draft-07, so it must not begin to count.
        loose: { type: "object", dependentRequired: { a: ["b"] } },
      },
      dependencies: { pair: ["third"], rest: { required: ["loose"] } },
      definitions: { count: { type: "integer" } },
    });
    expect(accepts({ pair: ["x", 1], third: "x" })).toBe(true);
    expect(accepts({ rest: ["x", true], loose: { a: 1 } })).toBe(true);
    const wrong = [{ pair: ["x", 1] }, { pair: ["x", "y"], third: "x" }, { pair: ["x", 1, 2], third: "x" }];
    for (const value of [...wrong, { rest: ["x", 1], loose: {} }, { rest: [] }, { third: 1 }])
      expect(accepts(value)).toBe(false);
  });

  test("with the words of draft-04 and of OpenAPI 3.0", async () => {
    const old = await readerOfParameters({
      $schema: "http://json-schema.org/draft-04/schema#",
      id: "http://example.com/old",
      type: "object",
      properties: { above: { type: "number", minimum: 0, exclusiveMinimum: true } },
    });
    expect([old({ above: 1 }), old({ above: 0 })]).toEqual([true, false]);
    const nullable = await readerOfParameters({
      type: "object",
      properties: { n: { type: "string", nullable: true } },
    });
    expect([nullable({ n: null }), nullable({ n: 1 })]).toEqual([true, false]);
  });

  const draft07 = "http://json-schema.org/draft-07/schema#";
  test.each([
    ["refers to another document", { $schema: draft07, properties: { a: { $ref: draft07 } } }],
    ["has $ref in a value", { properties: { a: { const: { $ref: "#/x" } } } }],
  ])("but is any object where it %s", async (_reason, parameters) => {
    const document = await documentOf(makeTool("t", { type: "object", ...parameters }));
    expect(document.components.schemas["TArguments"]).toEqual({
      type: "object",
      description: expect.stringContaining("cannot contain the tool's schema"),
    });
    expect(danglingRefs(document)).toEqual([]);
  });

  test("and what is no word of JSON Schema is left out, with the references it may hold", async () => {
    const document = await documentOf(
      makeTool("t", {
        type: "object",
        properties: { a: { type: "string", "x-see": { $ref: "#/nowhere" }, examples: [{ $ref: "#/nowhere" }] } },
        discriminator: { propertyName: "a", mapping: { b: "#/nowhere" } },
      }),
    );
    expect(document.components.schemas["TArguments"]).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
    });
  });
});

test("a default is told in words: nobody fills it in, and generators would demand the property", async () => {
  const unit = { type: "string", description: "The unit.", default: "celsius" };
  const document = await documentOf(makeTool("t", { type: "object", properties: { unit, count: { default: 1 } } }));
  expect(document.components.schemas["TArguments"]).toEqual({
    type: "object",
    properties: {
      unit: { type: "string", description: 'The unit. Default: "celsius".' },
      count: { description: "Default: 1." },
    },
  });
});

const corpus = new URL("../../../../../shared/corpus/tools.jsonl", import.meta.url);
if (!existsSync(corpus)) console.warn(`The corpus of tools is skipped: ${corpus.pathname} is not there.`);

describe.runIf(existsSync(corpus) || process.env["CI"] !== undefined)("real declarations", () => {
  const every = process.env["TEST_SIZE"] === "quick" ? 16 : 1;
  const registerSample = () => {
    const lines = readFileSync(corpus, "utf8").trimEnd().split("\n");
    const registry = createRegistry();
    const chosen = lines.filter((line, index) => index % 12 === 0 || /"\$ref"|"\$defs"|draft-0[46]/.test(line));
    const sample = chosen.filter((_line, index) => index % every === 0);
    const tools = sample.flatMap((line, index) => toTool(line, index));
    const skipped = registry.replace("corpus", tools);
    expect(registry.list().length).toBeGreaterThan(150 / every);
    expect(skipped.length).toBeLessThan(sample.length / 20);
    return registry;
  };

  test("are imported from ?only=tools with their names and their arguments", { timeout: 60_000 }, async () => {
    const registry = registerSample();
    const answer = await createApp({ registry }).request("/openapi.json?only=tools");
    const imported = importTools((await answer.json()) as ImportedDocument);
    const expected = registry.list().map(({ tool, declaration: { parameters, description } }) => {
      const { properties = {}, required = [] } = parameters as { properties?: object; required?: string[] };
      return { name: tool.name, description, properties: Object.keys(properties), required };
    });
    const found = imported.map(({ name, description, parameters: { properties, required } }) => {
      return { name, description, properties: Object.keys(properties), required };
    });
    expect(found).toEqual(expected);
  });

  test("make a document without loose ends, in which every schema compiles", { timeout: 60_000 }, async () => {
    const registry = registerSample();
    const document = (await (await createApp({ registry }).request("/openapi.json")).json()) as Document;

    expect(danglingRefs(document)).toEqual([]);
    const ids = operationIds(document);
    expect(new Set(ids).size).toBe(ids.length);
    const reader = readerOf(document);
    // All others are parts of these.
    const whole = Object.keys(document.components.schemas).filter((name) => /(?:Arguments|Outcome)$/.test(name));
    for (const name of whole) expect(() => reader(name), name).not.toThrow();
    expect(JSON.stringify(document)).not.toContain("cannot contain the tool's schema");
  });
});

interface CorpusTool {
  readonly name: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonSchema;
}

/** Many servers offer a tool of the same name: each gets its line's number. */
function toTool(line: string, index: number): Tool[] {
  const { name, inputSchema, outputSchema } = JSON.parse(line) as CorpusTool;
  if (inputSchema === undefined) return [];
  const legal = `${name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 50)}_${index}`;
  const response = outputSchema === undefined ? {} : { response: outputSchema };
  return [makeTool(legal, { type: "object", ...inputSchema }, response)];
}
