import { afterEach, describe, expect, it } from "vitest";
import { CallError } from "../../../src/errors/errors.ts";
import { parseJson } from "../../../src/json/parse.ts";
import { stopCalls } from "../../../src/core/call/running-call.ts";
import { createRegistry, invoke, type JsonSchema } from "../../../src/index.ts";
import { callTool, callWith, errorOf, toolOf } from "../one-tool.ts";
import { cpuMs } from "../../cpu-time.ts";

async function timed<T>(run: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const started = cpuMs();
  const value = await run();
  return { value, ms: cpuMs() - started };
}

describe("a recursive schema with unions", () => {
  const branch = (op: string, fields: object) => ({
    type: "object",
    properties: { op: { const: op }, ...fields },
    required: ["op", ...Object.keys(fields)],
  });
  const list = { args: { type: "array", items: { $ref: "#/$defs/F" } } };
  const schema: JsonSchema = {
    type: "object",
    properties: { f: { $ref: "#/$defs/F" } },
    $defs: {
      F: {
        anyOf: [
          branch("and", list),
          branch("or", list),
          branch("not", list),
          branch("eq", { field: { type: "string" } }),
        ],
      },
    },
  };

  it.each([false, true])("tells what is wrong deep inside at once (repair=%s)", async (repair) => {
    let filter: object = { op: "eq" };
    for (let level = 0; level < 25; level++) filter = { op: "and", args: [filter] };
    const { value, ms } = await timed(() => callWith(schema, { f: filter }, { repair }));
    expect(errorOf(value)).toMatchObject({ code: "invalid_arguments" });
    expect(ms).toBeLessThan(1000);
  });
});

it("a key of a megabyte is not echoed, nor does it take long, even with repair", async () => {
  const schema = { type: "object", additionalProperties: { type: "array", items: { type: "integer" } } };
  const args = { ["k".repeat(1_000_000)]: Array.from({ length: 2000 }, String) };
  for (const repair of [false, true]) {
    const { value, ms } = await timed(() => callWith(schema, args, { repair }));
    if (!repair) expect(JSON.stringify(errorOf(value)).length).toBeLessThan(50_000);
    expect(ms).toBeLessThan(3000);
  }
});

it("a document with more refused numbers than anyone reads is refused as a whole", () => {
  const { refusals } = parseJson(`[${Array(85_000).fill("1e999").join(",")}]`);
  expect(refusals.length).toBe(1001);
  expect(refusals[0]).toEqual({ path: "/0", reason: "is a number that is too large" });
  expect(refusals.at(-1)).toEqual({ path: "", reason: expect.stringContaining("over 1000") });
  const long = parseJson(`{"${"k".repeat(100_000)}":1e999}`);
  expect(long.refusals[0]?.path.length).toBeLessThan(200);
});

describe("a tool that adds to Object.prototype", () => {
  afterEach(() => {
    delete (Object.prototype as Record<string, unknown>)["added"];
  });
  it.each([1, {}])("changes no document: %j", (added) => {
    (Object.prototype as Record<string, unknown>)["added"] = added;
    expect(parseJson('{"a":{"b":1}}').refusals).toEqual([]);
    expect(parseJson('{"a":1,"a":2}').refusals).toHaveLength(1);
  });
});

it("stopping all calls starts none of those that waited", async () => {
  let runs = 0;
  const execute = () => {
    runs++;
    return new Promise(() => undefined);
  };
  const registry = createRegistry({ tools: [toolOf({ concurrency: 1, execute })] });
  const pending = [1, 2, 3].map(() => invoke(registry, { name: "tool", arguments: {}, patient: true }));
  stopCalls(registry, new CallError("cancelled", "The service ended."));
  const errors = (await Promise.all(pending)).map(errorOf);
  expect(errors.map(({ ran }) => ran)).toEqual(["unknown", "no", "no"]);
  expect(runs).toBe(1);
});

it("a schema that is changed after it was registered checks as it was", async () => {
  const schema: Record<string, unknown> = { type: "object", required: ["a"], title: "changed later" };
  const registry = createRegistry({ tools: [toolOf({ parameters: schema })] });
  schema["required"] = ["b"];
  expect(await invoke(registry, { name: "tool", arguments: { a: 1 } })).toMatchObject({ status: "ok" });
});

it.each([{ title: 5 }, { tags: "alpha" }, { requires: "KEY" }, { annotations: { idempotent: "yes" } }, { strict: 1 }])(
  "a tool with a field of another type is refused: %j",
  (fields) => {
    expect(() => callTool(fields as object)).toThrow();
  },
);
