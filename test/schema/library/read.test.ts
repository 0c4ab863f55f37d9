import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as z42 from "zod-4.2";
import * as mini from "zod/mini";
import {
  createRegistry,
  defineTool,
  invoke,
  type JsonSchema,
  type Tool,
  type ToolDefinition,
} from "../../../src/index.ts";
import { errorOf, resultOf } from "../../core/one-tool.ts";

type Schema = ToolDefinition<never, never>["parameters"];
const base = { name: "tool", description: "A tool of the tests.", execute: (args: unknown) => args };
const registryOf = (parameters: unknown, response?: unknown) =>
  createRegistry({
    observer: {},
    tools: [{ ...base, parameters, ...(response !== undefined && { response }) } as unknown as Tool],
  });

describe("a root that is a union of objects", () => {
  it.each<[string, unknown]>([
    ["zod 4.6", z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })])],
    [
      "zod 4.2",
      z42.discriminatedUnion("k", [z42.object({ k: z42.literal("a") }), z42.object({ k: z42.literal("b") })]),
    ],
    [
      "Valibot",
      toStandardJsonSchema(v.variant("k", [v.object({ k: v.literal("a") }), v.object({ k: v.literal("b") })])),
    ],
    ["ArkType", type({ k: "'a'" }).or({ k: "'b'" })],
    ["a union in a union", z.union([z.object({ k: z.literal("a") }), z.union([z.object({ k: z.literal("b") })])])],
    ["an intersection", z42.intersection(z42.object({ k: z42.enum(["a", "b"]) }), z42.object({}))],
  ])("counts as an object: %s", async (_, parameters) => {
    const registry = registryOf(parameters);
    expect(registry.find("tool")?.declaration.parameters).toMatchObject({ type: "object" });
    expect(resultOf(await invoke(registry, { name: "tool", arguments: { k: "b" } }))).toEqual({ k: "b" });
    expect(errorOf(await invoke(registry, { name: "tool", arguments: { k: "c" } })).code).toBe("invalid_arguments");
  });

  it.each<[string, unknown]>([
    ["a string beside it", z.union([z.object({}), z.string()])],
    ["anything", z.any()],
    ["an array", z.array(z.object({}))],
  ])("is refused with %s", (_, parameters) => {
    expect(() => registryOf(parameters)).toThrow("object");
  });
});

describe("what a library cannot express", () => {
  const warnings = (parameters: unknown, response?: unknown) =>
    registryOf(parameters, response)
      .warnings("local")
      .map(({ path, message }) => [path, message.split(":")[0]]);

  it.each([
    ["4.6", z],
    ["4.2", z42 as unknown as typeof z],
  ])("is left open with a warning: zod %s", (_, zod) => {
    const parameters = zod.object({
      when: zod.date(),
      list: zod.array(zod.map(zod.string(), zod.string())),
      any: zod.any(),
      maybe: zod.bigint().optional(),
      text: zod.string().transform((text) => text.length),
    });
    expect(warnings(parameters)).toEqual([
      ["/parameters/properties/when", 'Zod cannot express its type "date" in JSON Schema'],
      ["/parameters/properties/list/items", 'Zod cannot express its type "map" in JSON Schema'],
      ["/parameters/properties/maybe", 'Zod cannot express its type "bigint" in JSON Schema'],
    ]);
    expect(registryOf(parameters).find("tool")?.declaration.parameters).toMatchObject({ properties: { when: {} } });
  });

  it("is left open with a warning: Valibot", () => {
    const check = v.check<string>((text) => text !== "");
    const parameters = toStandardJsonSchema(v.object({ when: v.date(), text: v.pipe(v.string(), check) }));
    expect(warnings(parameters)).toEqual([["/parameters", 'Valibot cannot express its type "date" in JSON Schema']]);
  });

  it("is left open with a warning: ArkType", () => {
    expect(warnings(type({ "when?": "Date", text: "string.numeric.parse", unit: "'c' = 'c'" }))).toEqual([
      ["/parameters", 'ArkType cannot express its type "date" in JSON Schema'],
    ]);
  });

  it("is reported of results too, and of what defineTool made", () => {
    const tool = defineTool({
      ...base,
      parameters: z.object({ a: z.date() }),
      response: z.object({ b: z.date() }) as unknown as JsonSchema,
    });
    const registry = createRegistry({ observer: {}, tools: [{ ...tool, title: "Copied" }] });
    expect(registry.warnings("local").map(({ path }) => path)).toEqual([
      "/parameters/properties/a",
      "/response/properties/b",
    ]);
  });

  it("is nothing in a schema that JSON Schema can express", () => {
    expect(
      warnings(z.object({ a: z.string().default("x"), b: z.email(), c: z.unknown(), d: z.any().optional() })),
    ).toEqual([]);
  });
});

describe("a schema object that cannot turn itself into JSON Schema is refused with what to do", () => {
  const older = (minor: number) => ({
    _zod: { version: { major: 4, minor, patch: 3 } },
    _def: {},
    refine: () => undefined,
    "~standard": { version: 1, vendor: "zod", validate: () => undefined },
  });
  it.each<[string, unknown, string[]]>([
    [
      "zod 3",
      { _def: { typeName: "ZodObject" }, "~standard": { version: 1, vendor: "zod" } },
      ["zod 3", "zod 4.2 or later", "zod-to-json-schema"],
    ],
    ["zod 3.22", { _def: { typeName: "ZodObject" } }, ["zod 3", "zod 4.2 or later", "zod-to-json-schema"]],
    ["zod 4.0", older(0), ["zod 4.0", "zod 4.2 or later", 'z.toJSONSchema(schema, { io: "input" })']],
    ["zod 4.1", older(1), ["zod 4.1", "zod 4.2 or later", "z.toJSONSchema"]],
    ["zod/mini", mini.object({ a: mini.string() }), ["zod/mini", "zod 4.2 or later", "z.toJSONSchema"]],
    ["Valibot", v.object({ a: v.string() }), ["toStandardJsonSchema"]],
    ["a map of zod schemas", { city: z.string() }, ["z.object({ … })"]],
    ["another library", { "~standard": { version: 1, vendor: "other" } }, ['of "other"', "Standard JSON Schema"]],
  ])("%s", (_, schema, words) => {
    for (const word of words) {
      expect(() => registryOf(schema)).toThrow(word);
      expect(() => registryOf({ type: "object" }, schema)).toThrow(word);
      expect(() => defineTool({ ...base, parameters: schema as Schema })).toThrow(word);
    }
    expect(() => registryOf(schema)).not.toThrow("Valibot's");
  });

  it("advises what works: the JSON Schema of zod/mini, which keeps the library's check", async () => {
    const schema = mini.object({ a: mini.string().check(mini.refine((text) => text !== "no", "must be yes")) });
    const registry = registryOf(mini.toJSONSchema(schema, { io: "input" }));
    expect(resultOf(await invoke(registry, { name: "tool", arguments: { a: "x", b: 1 } }))).toEqual({ a: "x" });
    expect(errorOf(await invoke(registry, { name: "tool", arguments: { a: "no" } }))).toMatchObject({
      issues: [{ path: "/a", message: "must be yes" }],
    });
  });
});
