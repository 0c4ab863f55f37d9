import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/json/object.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import { createCheck } from "../../src/schema/check.ts";
import { declareTools } from "../../src/dialects/declarations.ts";
import type { DeclarationOptions, DeclaredTool } from "../../src/dialects/dialect.ts";
import { type DialectName, dialects } from "../../src/dialects/dialects.ts";
import { restoreArguments } from "../../src/dialects/restore/restore.ts";
import { cpuMs } from "../cpu-time.ts";

const names = Object.keys(dialects) as DialectName[];

function toolOf(parameters: JsonSchema, fields: Partial<DeclaredTool> = {}): DeclaredTool {
  return { name: "tool", description: "A tool.", parameters, ...fields };
}

function declareAll(dialect: DialectName, tools: readonly DeclaredTool[], options: Partial<DeclarationOptions> = {}) {
  return declareTools(dialects[dialect], tools, { strict: false, schema: "json", ...options });
}

/** The schema of one tool as a dialect's request holds it. */
function schemaIn(dialect: DialectName, parameters: JsonSchema, options: Partial<DeclarationOptions> = {}): JsonObject {
  const [declared] = declareAll(dialect, [toolOf(parameters)], options).tools;
  return schemaOf(declared);
}

function schemaOf(declared: JsonObject | undefined): JsonObject {
  const [declaration] = (declared?.["functionDeclarations"] as JsonObject[] | undefined) ?? [declared ?? {}];
  const fields = (declaration?.["function"] ?? declaration) as JsonObject;
  const schema = ["parameters", "input_schema", "inputSchema", "parametersJsonSchema"].map((key) => fields[key]);
  return schema.find((each) => each !== undefined) as JsonObject;
}

const empty = { type: "object", properties: {} };

describe("declarations", () => {
  it("are what each provider's request holds", () => {
    const tool = toolOf({ type: "object" }, { title: "Tool", annotations: { readOnly: true } });
    const fields = { name: "tool", description: "A tool." };
    const of = (dialect: DialectName, options: Partial<DeclarationOptions> = {}) =>
      declareAll(dialect, [tool], options);
    expect(of("openai")).toEqual({
      tools: [{ type: "function", function: { ...fields, parameters: empty, strict: false } }],
      warnings: [],
    });
    expect(of("openai-responses").tools).toEqual([{ type: "function", ...fields, parameters: empty, strict: false }]);
    expect(of("anthropic").tools).toEqual([{ ...fields, input_schema: empty }]);
    expect(of("gemini").tools).toEqual([{ functionDeclarations: [{ ...fields, parametersJsonSchema: empty }] }]);
    expect(of("gemini", { schema: "openapi" }).tools).toEqual([
      { functionDeclarations: [{ ...fields, parameters: { type: "OBJECT", properties: {} } }] },
    ]);
    expect(of("ollama").tools).toEqual([
      { type: "function", function: { ...fields, parameters: { ...empty, required: [] } } },
    ]);
    expect(of("mcp").tools).toEqual([
      { ...fields, title: "Tool", inputSchema: empty, annotations: { readOnlyHint: true } },
    ]);
  });

  it.each(names)("of no tools are an empty list for %s", (dialect) => {
    expect(declareAll(dialect, [])).toEqual({ tools: [], warnings: [] });
  });

  it("are strict where the tool says so, and not where it forbids it", () => {
    const closed = { ...empty, additionalProperties: false };
    const tools = [toolOf(closed, { strict: true }), toolOf(closed, { strict: false }), toolOf(closed)];
    const flags = (strict: boolean) =>
      declareAll("openai-responses", tools, { strict }).tools.map((tool) => tool["strict"]);
    expect(flags(false)).toEqual([true, false, false]);
    expect(flags(true)).toEqual([true, false, true]);
    expect(declareAll("anthropic", tools).tools.map((tool) => tool["strict"])).toEqual([true, undefined, undefined]);
  });

  it("warn of a list that is longer than the provider takes, and hold it whole", () => {
    const tools = Array.from({ length: 130 }, (_, index) => toolOf(empty, { name: `tool_${index}` }));
    const { tools: declared, warnings } = declareAll("openai", tools);
    expect(declared).toHaveLength(130);
    expect(warnings).toEqual([
      { tool: "tool_128", path: "", kind: "annotation", message: expect.stringContaining("128") },
    ]);
    expect(declareAll("anthropic", tools).warnings).toEqual([]);
  });

  it("warn of a long description, and never cut it", () => {
    const description = "Long. ".repeat(300);
    const { tools, warnings } = declareAll("openai-responses", [toolOf(empty, { description })]);
    expect(tools[0]?.["description"]).toBe(description);
    expect(warnings).toEqual([
      { tool: "tool", path: "", kind: "annotation", message: expect.stringContaining("1024") },
    ]);
  });

  it("leave out a tool that cannot be said, alone", () => {
    const bad = [toolOf(false, { name: "never" }), toolOf({ $schema: "urn:unknown" }, { name: "unknown" })];
    for (const dialect of ["openai", "gemini", "ollama"] as const) {
      const { tools, warnings } = declareAll(dialect, [...bad, toolOf(empty)]);
      expect(JSON.stringify(tools).match(/"name"/g)).toHaveLength(1);
      expect(warnings.map(({ tool, kind }) => [tool, kind])).toEqual([
        ["never", "omitted"],
        ["unknown", "omitted"],
      ]);
    }
  });

  it("take from Anthropic's limits in the order of the list", () => {
    const optional = (count: number) => ({
      ...empty,
      properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: "string" }])),
      additionalProperties: false,
    });
    const tools = [20, 10, 4].map((count, index) => toolOf(optional(count), { name: `tool_${index}` }));
    const { tools: declared, warnings } = declareAll("anthropic", tools, { strict: true });
    expect(declared.map((tool) => tool["strict"])).toEqual([true, undefined, true]);
    expect(warnings).toEqual([
      { tool: "tool_1", path: "", kind: "annotation", message: expect.stringContaining("24 optional") },
    ]);
  });
});

describe("outputSchema", () => {
  const of = (response: JsonSchema | undefined, contentBlocks = false) =>
    declareAll("mcp", [toolOf(empty, { ...(response !== undefined && { response }), contentBlocks })]).tools[0]?.[
      "outputSchema"
    ];

  it("is the response's schema where its root is an object", () => {
    expect(of({ type: "object", properties: { a: true } })).toEqual({ type: "object", properties: { a: {} } });
  });

  it("is none where any result will do, or where the result is content blocks", () => {
    for (const response of [undefined, true, {}]) expect(of(response)).toBeUndefined();
    expect(of({ type: "object" }, true)).toBeUndefined();
  });

  it("wraps any other, whose references still lead where they led", () => {
    const wrapped = of({
      type: "array",
      items: { $ref: "#/$defs/n" },
      $defs: { n: { type: "integer" } },
    }) as JsonObject;
    expect(wrapped).toMatchObject({ type: "object", required: ["result"] });
    const check = createCheck(wrapped);
    expect(check.accepts({ result: [1] })).toBe(true);
    expect(check.accepts({ result: ["a"] })).toBe(false);
  });
});

describe("bugs that others had", () => {
  it("vercel/ai#19002: a reference is not lost", () => {
    const source = {
      type: "object",
      properties: { locale: { $ref: "#/$defs/L" } },
      $defs: { L: { type: "string", enum: ["en", "fr"] } },
    };
    expect(schemaIn("gemini", source, { schema: "openapi" })).toMatchObject({
      properties: { locale: { type: "STRING", enum: ["en", "fr"] } },
    });
  });

  it("vercel/ai#19488: a recursive schema stops nothing", () => {
    const filter = { type: "object", properties: { and: { type: "array", items: { $ref: "#/$defs/filter" } } } };
    const source = { type: "object", properties: { filter: { $ref: "#/$defs/filter" } }, $defs: { filter } };
    for (const dialect of names) {
      for (const schema of ["json", "openapi"] as const) {
        const { tools } = declareAll(dialect, [toolOf(source), toolOf(empty, { name: "other" })], { schema });
        expect(JSON.stringify(tools), dialect).toContain('"other"');
        expect(JSON.stringify(tools), dialect).toContain('"and"');
      }
    }
  });

  it("langchain-ai/langchainjs#9875: an empty word in an enum", () => {
    const source = { type: "object", properties: { mode: { type: "string", enum: ["", "on", "off"] } } };
    const { tools, warnings } = declareAll("gemini", [toolOf(source)], { schema: "openapi" });
    expect(schemaOf(tools[0])).toMatchObject({ properties: { mode: { enum: ["on", "off"] } } });
    expect(warnings).toEqual([expect.objectContaining({ path: "/properties/mode", kind: "narrowed" })]);
  });

  it("google-gemini/gemini-cli#4415: an enum of numbers", () => {
    const source = { type: "object", properties: { minutes: { type: "integer", enum: [60, 1440] } } };
    expect(schemaIn("gemini", source, { schema: "openapi" })["properties"]).toEqual({
      minutes: { type: "INTEGER", description: "Must be one of 60, 1440." },
    });
  });

  it.each(names)("openai/openai-agents-python#449, ollama/ollama-vscode#67: no properties, in %s", (dialect) => {
    if (dialect !== "mcp") expect(schemaIn(dialect, {})).toMatchObject(empty);
    expect(schemaIn(dialect, { type: "object" })["type"]).toBe("object");
  });

  it("digitalocean-labs/mcp-digitalocean#265: an array that does not say what it holds", () => {
    const source = { type: "object", properties: { list: { type: "array" } } };
    expect(schemaIn("openai", source)).toMatchObject({ properties: { list: { items: {} } } });
    expect(schemaIn("gemini", source, { schema: "openapi" })).toMatchObject({
      properties: { list: { items: expect.anything() } },
    });
  });

  it("langchain-ai/langchainjs#9496: an open schema is closed where it is strict", () => {
    const source = { type: "object", properties: { a: { type: "string" } } };
    const { tools, warnings } = declareAll("openai", [toolOf(source)], { strict: true });
    expect(tools[0]).toMatchObject({
      function: { strict: true, parameters: { additionalProperties: false, required: ["a"] } },
    });
    expect(warnings.map(({ kind }) => kind)).toEqual(["narrowed"]);
  });

  it("Dokploy/mcp#74: bounds of draft-04", () => {
    const count = { type: "integer", minimum: 0, exclusiveMinimum: true };
    const properties = { count: { type: "integer", exclusiveMinimum: 0 } };
    expect(schemaIn("anthropic", { type: "object", properties: { count } })["properties"]).toEqual(properties);
    const named = { $schema: "http://json-schema.org/draft-04/schema#", type: "object", properties: { count } };
    expect(schemaIn("anthropic", named)["properties"]).toEqual(properties);
  });

  it("ComposioHQ/composio#3500: keys that Anthropic refuses", () => {
    const source = {
      type: "object",
      properties: { $top: { type: "integer" }, ["k".repeat(70)]: {} },
      required: ["$top"],
    };
    const said = schemaIn("anthropic", source);
    expect(Object.keys(said["properties"] as JsonObject)).toEqual(["_top", "k".repeat(64)]);
    expect(restoreArguments(dialects.anthropic, source, { _top: 5 })).toEqual({
      value: { $top: 5 },
      repairs: [{ path: "/_top", kind: "restored_key" }],
    });
  });

  it("earendil-works/pi#9953: bounds that a strict schema of Anthropic's does not take", () => {
    const source = {
      ...empty,
      properties: { n: { type: "integer", minimum: 1, maximum: 9 } },
      required: ["n"],
      additionalProperties: false,
    };
    const { tools } = declareAll("anthropic", [toolOf(source)], { strict: true });
    expect(tools[0]).toMatchObject({
      strict: true,
      input_schema: { properties: { n: { type: "integer", description: "Must be at least 1. Must be at most 9." } } },
    });
  });

  it("elizaOS/eliza#16499: more strict tools than a request takes", () => {
    const tools = Array.from({ length: 45 }, (_, n) =>
      toolOf({ ...empty, additionalProperties: false }, { name: `tool_${n}` }),
    );
    const { tools: declared, warnings } = declareAll("anthropic", tools, { strict: true });
    expect(declared.filter((tool) => tool["strict"] === true)).toHaveLength(20);
    expect(warnings).toHaveLength(25);
  });

  it("ollama/ollama#10328: properties that are a list, and types that are", () => {
    const source = {
      type: "object",
      properties: { a: { type: ["string", "integer"] }, b: {}, type: { type: "string" } },
    };
    expect(schemaIn("ollama", source)).toEqual({ ...source, required: [] });
  });

  it("open-webui/open-webui#30046: Responses are always told whether to be strict", () => {
    expect(
      declareAll("openai-responses", [toolOf({ type: "object", properties: { limit: { type: "integer" } } })]).tools[0],
    ).toMatchObject({
      strict: false,
    });
  });

  it("langchain-ai/langchainjs#11381: a reference with words beside it", () => {
    const source = {
      ...empty,
      properties: { s: { $ref: "#/$defs/S", description: "Which.", default: "all" } },
      required: ["s"],
      $defs: { S: { type: "string", enum: ["all", "none"] } },
    };
    const [declared] = declareAll("openai", [toolOf(source)], { strict: true }).tools;
    expect(schemaOf(declared)["properties"]).toEqual({
      s: { type: "string", enum: ["all", "none"], description: "Which.", default: "all" },
    });
  });

  it.each(names)("PrefectHQ/fastmcp#1016: schemas that refer to each other are JSON in %s", (dialect) => {
    const node = {
      type: "object",
      required: ["v"],
      properties: { v: { type: "integer" }, kids: { type: "array", items: { $ref: "#/$defs/B" } } },
    };
    const source = { ...empty, properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: node, B: { $ref: "#/$defs/A" } } };
    for (const options of [{ strict: true }, { schema: "openapi" as const }, {}]) {
      expect(JSON.stringify(schemaIn(dialect, source, options))).toContain('"v"');
    }
  });

  it.each(names)("n8n-io/n8n#25964: no reference of %s leads nowhere", (dialect) => {
    const source = {
      ...empty,
      properties: { f: { $ref: "#/$defs/F" } },
      required: ["f"],
      additionalProperties: false,
      $defs: { F: { type: "string", enum: ["fit", "raw"] } },
    };
    const text = JSON.stringify(schemaIn(dialect, source));
    expect(text).toContain('["fit","raw"]');
    if (text.includes("$ref")) expect(text).toContain('"$defs":{"F"');
  });

  it("vercel/ai#4412: null, constants and bounds in Gemini's words", () => {
    const source = {
      type: "object",
      properties: {
        a: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] },
        b: { type: ["string", "null"] },
        c: { const: "x" },
        d: { type: "integer", exclusiveMinimum: 0 },
        e: { type: "object" },
        f: { type: ["null", "string", "number"] },
      },
    };
    expect(schemaIn("gemini", source, { schema: "openapi" })["properties"]).toEqual({
      a: { type: "ARRAY", items: { type: "STRING" }, nullable: true },
      b: { type: "STRING", nullable: true },
      c: { type: "STRING", enum: ["x"] },
      d: { type: "INTEGER", minimum: 1 },
      e: { type: "OBJECT" },
      f: { anyOf: [{ type: "STRING", nullable: true }, { type: "NUMBER" }] },
    });
  });

  it("anomalyco/opencode#46628: alternatives at the root still offer their properties", () => {
    const source = {
      type: "object",
      anyOf: ["content", "url"].map((key) => ({ properties: { [key]: { type: "string" } }, required: [key] })),
    };
    const said = schemaIn("anthropic", source);
    expect(said).toMatchObject({
      type: "object",
      properties: { content: { type: "string" }, url: { type: "string" } },
    });
    for (const keyword of ["anyOf", "oneOf", "allOf"]) expect(said).not.toHaveProperty(keyword);
  });

  it("look at alternatives once, by however many ways definitions lead to them", () => {
    const $defs: JsonObject = { D40: { type: "object", properties: { x: { type: "string" } } } };
    for (let at = 0; at < 40; at++) {
      const next = { $ref: `#/$defs/D${at + 1}` };
      $defs[`D${at}`] = { anyOf: [next, next] };
    }
    const source = { type: "object", properties: { a: { $ref: "#/$defs/D0" } }, $defs };
    const start = cpuMs();
    expect(declareAll("openai", [toolOf(source)], { strict: true }).tools[0]).toMatchObject({
      function: { strict: true },
    });
    expect(cpuMs() - start).toBeLessThan(3000);
  });
});
