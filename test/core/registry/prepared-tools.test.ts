import { describe, expect, test } from "vitest";
import { createRegistry, type RegistryOptions } from "../../../src/core/registry/registry.ts";
import { invoke } from "../../../src/core/call/invoke.ts";
import { declareTools } from "../../../src/dialects/declarations.ts";
import { dialects } from "../../../src/dialects/dialects.ts";
import { searchTools } from "../../../src/http/routes/tool-search.ts";
import { prepareTool, type ToolSchemas } from "../../../src/tool/prepared-tool.ts";
import type { JsonSchema } from "../../../src/schema/json-schema.ts";
import type { Tool } from "../../../src/tool/tool.ts";

const parameters = {
  type: "object",
  properties: { id: { type: "integer" }, tenant: { type: "string" } },
  required: ["id"],
} as const;

function startRegistry(options: RegistryOptions = {}) {
  let reads = 0;
  const tool = (name: string): Tool =>
    prepareTool({
      name,
      description: "Finds one.",
      hasResponse: true,
      schemas() {
        reads++;
        return { parameters, response: { type: "object" } };
      },
      execute: ({ id }) => (id === 0 ? "nothing" : { id }),
    });
  return { registry: createRegistry(options), tool, reads: () => reads };
}

test("registering prepared tools reads no schema; a call and a list do, once", async () => {
  const { registry, tool, reads } = startRegistry();
  registry.replace("api", [tool("a"), tool("b")], { trusted: false });
  expect(reads()).toBe(0);
  expect(await invoke(registry, { name: "a", arguments: { id: 1 } })).toMatchObject({
    status: "ok",
    result: { id: 1 },
  });
  expect(await invoke(registry, { name: "a", arguments: { id: "1" } })).toMatchObject({
    error: { code: "invalid_arguments", issues: [{ path: "/id" }] },
  });
  expect(await invoke(registry, { name: "a", arguments: { id: 0 } })).toMatchObject({
    error: { code: "invalid_result" },
  });
  expect(reads()).toBe(1);
  expect(registry.list().map(({ declaration }) => declaration.parameters)).toEqual([parameters, parameters]);
  expect(reads()).toBe(2);
});

test("words of an override read no schema, and keep the schemas", () => {
  const { registry, tool, reads } = startRegistry({
    overrides: { a: { description: "Other.", title: "T", tags: ["x"] } },
  });
  registry.replace("api", [tool("a")], { trusted: false });
  expect(reads()).toBe(0);
  expect(registry.find("a")?.declaration).toMatchObject({
    description: "Other.",
    title: "T",
    tags: ["x"],
    parameters,
    response: { type: "object" },
  });
});

test("a tool with a bound argument is made at once: the declaration does not name it, and the response stays", () => {
  const { registry, tool } = startRegistry({ overrides: { "a*": { bind: { tenant: { value: "acme" } } } } });
  registry.replace("api", [tool("a")], { trusted: false });
  const { declaration } = registry.find("a")!;
  expect(JSON.stringify(declaration.parameters)).not.toContain("tenant");
  expect(declaration.response).toEqual({ type: "object" });
});

test("a name that is not legal skips a prepared tool alone", () => {
  const { registry, tool } = startRegistry();
  expect(registry.replace("api", [tool("a b"), tool("b")])).toMatchObject([{ name: "a b" }]);
  expect(registry.list().map((entry) => entry.tool.name)).toEqual(["b"]);
});

test("the same tools again change nothing: entries and the version stay; other overrides register them anew", () => {
  const { registry, tool, reads } = startRegistry();
  const tools = [tool("a"), tool("b")];
  registry.replace("api", tools, { trusted: false });
  const [before] = registry.list();
  const { version } = registry;
  registry.replace("api", [...tools], { trusted: false });
  expect(registry.find("a")).toBe(before);
  expect(registry.version).toBe(version);
  registry.configure({ overrides: { a: { title: "New" } } });
  registry.replace("api", tools, { trusted: false });
  expect(registry.find("a")?.declaration.title).toBe("New");
  expect(registry.version).toBe(version + 1);
  registry.replace("api", tools, { trusted: false, defaults: { response: "off" } });
  expect(registry.find("a")?.response).toBeUndefined();
  expect(reads()).toBe(1);
});

test("a source's default for results that break their schema gives way to an override", async () => {
  const { registry, tool } = startRegistry({ overrides: { b: { response: "enforce" } } });
  registry.replace("api", [tool("a"), tool("b")], { defaults: { response: "warn" } });
  expect(await invoke(registry, { name: "a", arguments: { id: 0 } })).toMatchObject({
    status: "ok",
    result: "nothing",
  });
  expect(await invoke(registry, { name: "b", arguments: { id: 0 } })).toMatchObject({
    error: { code: "invalid_result" },
  });
});

describe("a prepared tool whose schemas turn out faulty when they are first read", () => {
  const faulty = (name: string, schemas: () => ToolSchemas): Tool =>
    prepareTool({ name, description: "Finds one.", hasResponse: true, schemas, execute: () => "result" });
  const notValid = { type: "objekt" } as unknown as JsonSchema;
  const thrown = new Error("the document says secret");
  const tools: readonly [string, Tool][] = [
    [
      "throws",
      faulty("bad", () => {
        throw thrown;
      }),
    ],
    ["has no valid parameters", faulty("bad", () => ({ parameters: notValid }))],
    [
      "has an expression that is not linear",
      faulty("bad", () => ({ parameters: { type: "object", patternProperties: { "(?=a)b": {} } } })),
    ],
  ];

  test.each(tools)(
    "fails alone if it %s: calls get `unavailable`, and the lists have the others",
    async (_what, bad) => {
      const causes: unknown[] = [];
      const { registry, tool } = startRegistry({ observer: { onCall: ({ cause }) => causes.push(cause) } });
      registry.replace("api", [tool("a"), bad, tool("c")], { trusted: false });
      for (let again = 0; again < 2; again++) {
        const outcome = await invoke(registry, { name: "bad", arguments: {} });
        expect(outcome).toMatchObject({
          error: { code: "unavailable", action: "stop", retryable: false, ran: "no" },
        });
        expect(JSON.stringify(outcome)).not.toContain("secret");
      }
      expect(causes).toEqual([expect.any(Error), causes[0]]);
      expect(await invoke(registry, { name: "a", arguments: { id: 1 } })).toMatchObject({ status: "ok" });
      const declarations = registry.list().map(({ declaration }) => declaration);
      expect(declarations.map(({ name }) => name)).toEqual(["a", "bad", "c"]);
      for (const dialect of Object.values(dialects)) {
        const { tools: declared, warnings } = declareTools(
          dialect,
          registry.list().map((entry) => entry.tool),
          { strict: false, schema: "json" },
        );
        expect(JSON.stringify(declared), dialect.name).toContain('"c"');
        expect(JSON.stringify([declared, warnings]), dialect.name).not.toContain("secret");
      }
      expect(searchTools(registry.list(), "tenant").map((entry) => entry.tool.name)).toEqual(["a", "c"]);
    },
  );

  test("is skipped alone if an override binds one of its arguments, which needs the schema at once", () => {
    const { registry, tool } = startRegistry({ overrides: { "*": { bind: { tenant: { value: "acme" } } } } });
    const skipped = registry.replace("api", [tool("a"), tools[0]![1], tool("c")], { trusted: false });
    expect(skipped).toEqual([{ name: "bad", reason: expect.any(String) as string }]);
    expect(registry.list().map((entry) => entry.tool.name)).toEqual(["a", "c"]);
  });

  test("gets `invalid_result` if only the schema of its results is not valid", async () => {
    const { registry } = startRegistry();
    registry.replace("api", [faulty("bad", () => ({ parameters: { type: "object" }, response: notValid }))]);
    expect(await invoke(registry, { name: "bad", arguments: {} })).toMatchObject({ error: { code: "invalid_result" } });
  });
});
