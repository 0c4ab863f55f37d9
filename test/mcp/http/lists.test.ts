import { describe, expect, it, test } from "vitest";
import { sha256 } from "../../../src/access/keys.ts";
import { prepareTool } from "../../../src/tool/prepared-tool.ts";
import { toolOf } from "../../core/one-tool.ts";
import { ask, mcpApp, type McpAnswer } from "../messages.ts";
import { sizeOf } from "../../runs.ts";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const object = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
const list = { type: "array", items: { $ref: "#/$defs/n" }, $defs: { n: { type: "number" } } };

type Listed = Readonly<Record<string, unknown>> & { readonly name: string };

function toolsOf({ message }: McpAnswer): readonly Listed[] {
  return message.result?.["tools"] as readonly Listed[];
}

async function names(...request: Parameters<typeof ask>): Promise<readonly string[]> {
  return toolsOf(await ask(...request)).map(({ name }) => name);
}

test("tools/list has every field of a tool, in both eras", async () => {
  const annotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
  const { app } = mcpApp([
    { name: "a", title: "A", description: "First.", parameters: city, response: object, annotations },
  ]);
  for (const era of ["legacy", "modern"] as const) {
    expect(toolsOf(await ask(app, era, "tools/list"))).toEqual([
      {
        name: "a",
        title: "A",
        description: "First.",
        inputSchema: city,
        outputSchema: object,
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      },
    ]);
  }
});

test("a modern list contains how long it may be kept, and for whom", async () => {
  const { app } = mcpApp([{}]);
  const { result = {} } = (await ask(app, "modern", "tools/list")).message;
  expect(result).toMatchObject({ resultType: "complete", cacheScope: "private" });
  expect(result["ttlMs"]).toSatisfy((ttl: number) => Number.isInteger(ttl) && ttl >= 0);
  const legacy = (await ask(app, "legacy", "tools/list")).message.result ?? {};
  expect(Object.keys(legacy)).toEqual(["tools"]);
});

test("thousands of tools are one page, in the order of their names, and the same each time", async () => {
  const length = sizeOf(5000, 1000);
  const tools = Array.from({ length }, (_, index) => ({ name: `t${(index * 7919) % length}`, parameters: city }));
  const { app } = mcpApp(tools);
  const first = await ask(app, "legacy", "tools/list");
  expect(first.message.result).not.toHaveProperty("nextCursor");
  const listed = toolsOf(first).map(({ name }) => name);
  expect(listed).toHaveLength(length);
  expect(listed).toEqual([...listed].sort());
  expect((await ask(app, "legacy", "tools/list")).message).toEqual(first.message);
});

test("a cursor is never one of ours", async () => {
  const { app } = mcpApp([{}]);
  for (const era of ["legacy", "modern"] as const) {
    for (const cursor of ["", "1", 1, {}]) {
      const { status, message } = await ask(app, era, "tools/list", { cursor });
      expect([status, message.error?.code]).toEqual([200, -32_602]);
    }
    expect(toolsOf(await ask(app, era, "tools/list", { cursor: null }))).toHaveLength(1);
  }
});

describe("the schema of a result", () => {
  it.each([
    ["a list", list],
    ["a text", { type: "string" }],
    ["a union", { anyOf: [object, { type: "string" }] }],
    ["an object or null", { type: ["object", "null"] }],
  ])("that is %s is wrapped for legacy clients, and is as it is for modern ones", async (_what, response) => {
    const { app } = mcpApp([{ response }]);
    const [legacy] = toolsOf(await ask(app, "legacy", "tools/list"));
    expect(legacy?.["outputSchema"]).toMatchObject({ type: "object", required: ["result"] });
    const [modern] = toolsOf(await ask(app, "modern", "tools/list"));
    expect(modern?.["outputSchema"]).toEqual(response);
  });

  it("is listed only if results are held to it", async () => {
    const tools = ["enforced", "warned", "unchecked", "anything", "blocks"].map((name) => ({
      name,
      ...(name !== "anything" && { response: object }),
      ...(name === "blocks" && { contentBlocks: true }),
    }));
    const overrides = { warned: { response: "warn" }, unchecked: { response: "off" } } as const;
    const { app } = mcpApp(tools, {}, { overrides });
    for (const era of ["legacy", "modern"] as const) {
      const listed = toolsOf(await ask(app, era, "tools/list"));
      expect(listed.filter((tool) => "outputSchema" in tool).map(({ name }) => name)).toEqual(["enforced"]);
    }
    const response = await app.request("/tools?format=mcp");
    const { tools: declared } = (await response.json()) as { tools: Listed[] };
    expect(declared.filter((tool) => "outputSchema" in tool).map(({ name }) => name)).toEqual(["enforced"]);
  });

  it("of a prepared tool is listed as any other", async () => {
    const { parameters: _, response: __, ...rest } = toolOf({ name: "late" });
    const late = prepareTool({ ...rest, hasResponse: true, schemas: () => ({ parameters: city, response: object }) });
    const { app, registry } = mcpApp([]);
    registry.replace("api", [late]);
    expect(toolsOf(await ask(app, "modern", "tools/list"))).toMatchObject([
      { inputSchema: city, outputSchema: object },
    ]);
    registry.replace("api", [late], { defaults: { response: "warn" } });
    const [warned] = toolsOf(await ask(app, "modern", "tools/list"));
    expect(warned).toMatchObject({ inputSchema: city });
    expect(warned).not.toHaveProperty("outputSchema");
  });
});

describe("what a client sees", () => {
  const tools = [
    { name: "get_a", tags: ["x"], annotations: { readOnly: true } },
    { name: "get_b", tags: ["y"] },
    { name: "set_a", tags: ["x"] },
  ];
  const keys = [
    { name: "all", sha256: sha256("all") },
    { name: "get", sha256: sha256("get"), tools: ["get_*"] },
    { name: "read", sha256: sha256("read"), readOnly: true },
    { name: "none", sha256: sha256("none"), tools: [] },
  ];

  it.each([
    ["all", ["get_a", "get_b", "set_a"]],
    ["get", ["get_a", "get_b"]],
    ["read", ["get_a"]],
    ["none", []],
  ])("with the key %s is what its rights allow", async (key, expected) => {
    const { app } = mcpApp(tools, { auth: { keys } });
    const headers = { authorization: `Bearer ${key}` };
    for (const era of ["legacy", "modern"] as const) {
      expect(await names(app, era, "tools/list", {}, { headers })).toEqual(expected);
    }
  });

  it.each([
    ["names=get_a,set_a", ["get_a", "set_a"]],
    ["tags=x", ["get_a", "set_a"]],
    ["tags=x&names=get_a,get_b", ["get_a"]],
    ["source=local", ["get_a", "get_b", "set_a"]],
    ["source=other", []],
  ])("is the part that %s leaves", async (query, expected) => {
    const { app } = mcpApp(tools);
    expect(await names(app, "modern", "tools/list", {}, { path: `/mcp?${query}` })).toEqual(expected);
  });

  it("follows the registry", async () => {
    const { app, registry } = mcpApp(tools);
    const path = "/mcp?tags=x";
    expect(await names(app, "legacy", "tools/list", {}, { path })).toEqual(["get_a", "set_a"]);
    registry.remove("get_a");
    registry.add(toolOf({ name: "new", tags: ["x"] }));
    expect(await names(app, "legacy", "tools/list", {}, { path })).toEqual(["new", "set_a"]);
    expect(await names(app, "legacy", "tools/list")).toEqual(["get_b", "new", "set_a"]);
  });
});

describe("an argument that clients repeat in a header", () => {
  const annotated = (annotation: unknown, type = "string") => ({
    type: "object",
    properties: { region: { type, "x-mcp-header": annotation }, other: { type: "string" } },
  });

  it("is listed with its annotation", async () => {
    const { app } = mcpApp([{ parameters: annotated("Region") }]);
    expect(toolsOf(await ask(app, "modern", "tools/list"))).toMatchObject([{ inputSchema: annotated("Region") }]);
  });

  it.each([
    ["an empty name", annotated("")],
    ["a name with a space", annotated("a b")],
    ["a name that is not a string", annotated(1)],
    ["a number", annotated("Region", "number")],
    ["an object", annotated("Region", "object")],
    ["the root", { type: "object", "x-mcp-header": "Root", properties: {} }],
    [
      "an item",
      { type: "object", properties: { a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } } },
    ],
    ["a branch", { type: "object", anyOf: [{ properties: { a: { type: "string", "x-mcp-header": "A" } } }] }],
    [
      "two of one name",
      {
        type: "object",
        properties: { a: { type: "string", "x-mcp-header": "A" }, b: { type: "string", "x-mcp-header": "a" } },
      },
    ],
  ])("loses the annotation of %s, for which clients would drop the tool", async (_what, parameters) => {
    const { app } = mcpApp([{ parameters }]);
    const { message } = await ask(app, "modern", "tools/list");
    expect(JSON.stringify(message)).not.toContain("x-mcp-header");
  });
});
