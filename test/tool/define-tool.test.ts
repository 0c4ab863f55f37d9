import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { createRegistry, defineTool, invoke, type JsonObject, type Tool } from "../../src/index.ts";
import { errorOf, resultOf } from "../core/one-tool.ts";

const base = { name: "forecast", description: "Forecasts." };

const withZod = defineTool({
  ...base,
  parameters: z.object({
    city: z.string().min(1),
    days: z.int().optional(),
    unit: z.enum(["c", "f"]).default("c"),
  }),
  response: z.object({ text: z.string() }),
  execute(args) {
    expectTypeOf(args).toEqualTypeOf<{
      city: string;
      days?: number | undefined;
      unit: "c" | "f";
    }>();
    return { text: `${args.city} ${args.days} ${args.unit}` };
  },
});

const withValibot = defineTool({
  ...base,
  parameters: toStandardJsonSchema(
    v.object({
      city: v.pipe(v.string(), v.minLength(1)),
      days: v.optional(v.pipe(v.number(), v.integer())),
      unit: v.optional(v.picklist(["c", "f"]), "c"),
    }),
  ),
  response: toStandardJsonSchema(v.object({ text: v.string() })),
  execute(args) {
    expectTypeOf(args.city).toEqualTypeOf<string>();
    expectTypeOf(args.unit).toEqualTypeOf<"c" | "f">();
    return { text: `${args.city} ${args.days} ${args.unit}` };
  },
});

const withArkType = defineTool({
  ...base,
  parameters: type({ city: "string >= 1", "days?": "number.integer", unit: "'c' | 'f' = 'c'" }),
  response: type({ text: "string" }),
  execute(args) {
    expectTypeOf(args.city).toEqualTypeOf<string>();
    expectTypeOf(args.days).toEqualTypeOf<number | undefined>();
    expectTypeOf(args.unit).toEqualTypeOf<"c" | "f">();
    return { text: `${args.city} ${args.days} ${args.unit}` };
  },
});

const withJsonSchema = defineTool({
  ...base,
  parameters: {
    type: "object",
    required: ["city"],
    properties: {
      city: { type: "string", minLength: 1 },
      days: { type: "integer" },
      unit: { enum: ["c", "f"] },
    },
  },
  execute(args) {
    expectTypeOf(args).toEqualTypeOf<JsonObject>();
    return { text: `${String(args["city"])} ${String(args["days"])} ${String(args["unit"])}` };
  },
});

describe.each([
  ["Zod", withZod, "c"],
  ["Valibot", withValibot, "c"],
  ["ArkType", withArkType, "c"],
  ["JSON Schema", withJsonSchema, undefined],
])("a tool whose schemas are of %s", (_, tool, unit) => {
  const call = (args: unknown) => invoke(createRegistry({ tools: [tool] }), { name: "forecast", arguments: args });

  it("is a plain tool with JSON Schemas", () => {
    expectTypeOf(tool).toEqualTypeOf<Tool>();
    expect(tool.parameters).toMatchObject({
      type: "object",
      required: ["city"],
      properties: { city: { type: "string", minLength: 1 } },
    });
    expect(JSON.parse(JSON.stringify(tool.parameters))).toEqual(tool.parameters);
  });

  it("runs with arguments that fit, and with the defaults of a library", async () => {
    expect(resultOf(await call({ city: "Oslo", days: 2, unit: "f" }))).toEqual({
      text: "Oslo 2 f",
    });
    expect(resultOf(await call({ city: "Oslo" }))).toEqual({ text: `Oslo undefined ${unit}` });
  });

  it.each<[unknown, string]>([
    [{}, "/city"],
    [{ city: "" }, "/city"],
    [{ city: "Oslo", days: 1.5 }, "/days"],
    [{ city: "Oslo", unit: "k" }, "/unit"],
  ])("refuses %j at its place", async (args, path) => {
    expect(errorOf(await call(args))).toMatchObject({
      code: "invalid_arguments",
      issues: [{ path }],
    });
  });
});

it("the result is checked against the response schema", async () => {
  const tool = defineTool({
    ...base,
    parameters: z.object({}),
    response: z.object({ n: z.number() }),
    execute: () => ({ n: "x" as unknown as number }),
  });
  expect(errorOf(await invoke(createRegistry({ tools: [tool] }), { name: "forecast", arguments: {} })).code).toBe(
    "invalid_result",
  );
});

it("the types of a result that does not fit are refused by the compiler", () => {
  defineTool({
    ...base,
    parameters: z.object({}),
    response: z.object({ n: z.number() }),
    // @ts-expect-error a string is no number
    execute: () => ({ n: "x" }),
  });
});

it("a transform's output is what execute is typed by and gets", async () => {
  const tool = defineTool({
    ...base,
    parameters: z.object({ ids: z.string().transform((text) => text.split(",")), at: z.coerce.date() }),
    execute(args) {
      expectTypeOf(args).toEqualTypeOf<{ ids: string[]; at: Date }>();
      return [args.ids.length, args.at.getUTCFullYear()];
    },
  });
  const args = { ids: "a,b", at: "2026-01-01T00:00:00Z" };
  expect(
    resultOf(await invoke(createRegistry({ tools: [tool], observer: {} }), { name: "forecast", arguments: args })),
  ).toEqual([2, 2026]);
});

it("a schema that only writes JSON Schema gives execute its input", async () => {
  type Written = {
    "~standard": { jsonSchema: { input: () => JsonObject }; types?: { input: { a: string }; output: { a: number } } };
  };
  const parameters: Written = { "~standard": { jsonSchema: { input: () => ({ type: "object" }) } } };
  const tool = defineTool({
    ...base,
    parameters,
    execute(args) {
      expectTypeOf(args).toEqualTypeOf<{ a: string }>();
      return args;
    },
  });
  const call = { name: "forecast", arguments: { a: "x" } };
  expect(resultOf(await invoke(createRegistry({ tools: [tool] }), call))).toEqual({ a: "x" });
});

it("this stays the definition", async () => {
  const tool = defineTool({
    ...base,
    parameters: { type: "object" },
    execute() {
      return this.description;
    },
  });
  expect(resultOf(await invoke(createRegistry({ tools: [tool] }), { name: "forecast", arguments: {} }))).toBe(
    "Forecasts.",
  );
});

it("a schema object without JSON Schema is refused with what to do", () => {
  const parameters = v.object({ city: v.string() }) as unknown as JsonObject;
  expect(() => defineTool({ ...base, parameters, execute: () => null })).toThrow("toStandardJsonSchema");
});
