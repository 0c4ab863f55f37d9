import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../src/index.ts";
import { callTool, callWith, errorOf, resultOf } from "../core/one-tool.ts";

const properties = (members: Record<string, JsonSchema>, required: string[] = []) => ({
  type: "object",
  properties: members,
  required,
});
const mend = (schema: JsonSchema, args: unknown) => callWith(schema, args, { repair: true });

describe("a repair", () => {
  const parsed = (path: string) => ({ path, kind: "parsed_json" });
  const dropped = (path: string) => ({ path, kind: "dropped_null" });
  const point = properties({ x: { type: "number" }, tags: { type: "array", items: { type: "integer" } } }, ["x"]);

  it.each<[string, JsonSchema, unknown, unknown, unknown[]]>([
    ["an object", properties({ p: point }), { p: '{"x":1}' }, { p: { x: 1 } }, [parsed("/p")]],
    ["an array", properties({ a: { type: "array" } }), { a: " [1, 2] " }, { a: [1, 2] }, [parsed("/a")]],
    [
      "numbers and booleans",
      properties({ n: { type: "number" }, b: { type: "boolean" }, i: { type: "integer" } }),
      { n: "-1.5", b: "true", i: "7" },
      { n: -1.5, b: true, i: 7 },
      [parsed("/n"), parsed("/b"), parsed("/i")],
    ],
    ["the root", point, '{"x":1}', { x: 1 }, [parsed("")]],
    ["the root, encoded twice", point, JSON.stringify('{"x":1}'), { x: 1 }, [parsed(""), parsed("")]],
    [
      "strings inside a parsed string",
      properties({ p: point }),
      { p: '{"x":"1","tags":"[\\"2\\"]"}' },
      { p: { x: 1, tags: [2] } },
      [parsed("/p"), parsed("/p/x"), parsed("/p/tags"), parsed("/p/tags/0")],
    ],
    [
      "items",
      properties({ a: { type: "array", items: { type: "integer" } } }),
      { a: [1, "2", 3, "4"] },
      { a: [1, 2, 3, 4] },
      [parsed("/a/1"), parsed("/a/3")],
    ],
    [
      "keys with / and ~",
      properties({ "a/b~c": { type: "integer" } }),
      { "a/b~c": "1" },
      { "a/b~c": 1 },
      [parsed("/a~1b~0c")],
    ],
    [
      "a branch of anyOf",
      properties({ v: { anyOf: [{ type: "array" }, { type: "null" }] } }),
      { v: "[1]" },
      { v: [1] },
      [parsed("/v")],
    ],
    ["an allowed number", properties({ v: { enum: [1, 2] } }), { v: "2" }, { v: 2 }, [parsed("/v")]],
    [
      "an optional null",
      properties({ s: { type: "string" }, n: { type: "number" } }),
      { s: null, n: 1 },
      { n: 1 },
      [dropped("/s")],
    ],
    ["an optional null named root", properties({ root: { type: "string" } }), { root: null }, {}, [dropped("/root")]],
    ["a nested null", properties({ o: point }), { o: { x: 1, tags: null } }, { o: { x: 1 } }, [dropped("/o/tags")]],
    [
      "both kinds",
      properties({ n: { type: "number" }, s: { type: "string" } }),
      { n: "1", s: null },
      { n: 1 },
      [parsed("/n"), dropped("/s")],
    ],
  ])("mends %s", async (_, schema, args, mended, repairs) => {
    const before = JSON.stringify(args);
    const outcome = await mend(schema, args);
    expect(resultOf(outcome)).toEqual(mended);
    expect(outcome.repairs).toHaveLength(repairs.length);
    expect(outcome.repairs).toEqual(expect.arrayContaining(repairs));
    expect(JSON.stringify(args)).toBe(before);
  });

  it("touches only what the branch that was meant does not fit", async () => {
    const branch = (kind: string, id: string) =>
      properties({ kind: { const: kind }, id: { type: id }, n: { type: "number" } }, ["kind", "id", "n"]);
    const schema = properties({ v: { oneOf: [branch("a", "string"), branch("b", "number")] } });
    expect(resultOf(await mend(schema, { v: { kind: "a", id: "5", n: "7" } }))).toEqual({
      v: { kind: "a", id: "5", n: 7 },
    });
    expect(resultOf(await mend(schema, { v: { kind: "b", id: "5", n: "7" } }))).toEqual({
      v: { kind: "b", id: 5, n: 7 },
    });
  });

  it("is told of beside the error where the tool then fails", async () => {
    const parameters = properties({ n: { type: "number" } });
    const outcome = await callTool(
      { parameters, execute: () => Promise.reject(new Error("x")) },
      { arguments: { n: "1" }, repair: true },
    );
    expect(errorOf(outcome).code).toBe("tool_failed");
    expect(outcome.repairs).toEqual([parsed("/n")]);
  });
});

describe("no repair is made", () => {
  it("without being asked for", async () => {
    expect(errorOf(await callWith(properties({ n: { type: "number" } }), { n: "1" })).code).toBe("invalid_arguments");
  });

  it("of valid arguments, whatever they look like", async () => {
    const args = { s: "[1]", n: null };
    const outcome = await mend(properties({ s: { type: "string" }, n: { type: ["null", "string"] } }), args);
    expect(resultOf(outcome)).toStrictEqual({ s: "[1]", n: null });
    expect(outcome).not.toHaveProperty("repairs");
  });

  it.each<[string, JsonSchema, unknown]>([
    ["repeats a key", properties({ o: { type: "object" } }), { o: '{"a":1,"a":2}' }],
    ["holds an inexact integer", properties({ n: { type: "integer" } }), { n: "9007199254740993" }],
    ["holds __proto__", properties({ o: { type: "object" } }), { o: '{"__proto__":{}}' }],
    ["is nested too deeply", properties({ a: { type: "array" } }), { a: "[".repeat(65) + "]".repeat(65) }],
    ["is broken JSON", properties({ o: { type: "object" } }), { o: "{'a':1}" }],
    ["holds another kind", properties({ o: { type: "object" } }), { o: "[1]" }],
    ["is a word", properties({ n: { type: "number" } }), { n: "seven" }],
    ["is null", properties({ n: { type: "number" } }), { n: "null" }],
    ["should be another string", properties({ s: { minLength: 5 } }), { s: "123" }],
    ["is an allowed string in quotes", properties({ s: { enum: ["a"] } }), { s: '"a"' }],
  ])("of a string that %s", async (_, schema, args) => {
    const outcome = await mend(schema, args);
    expect(errorOf(outcome).code).toBe("invalid_arguments");
    expect(outcome).not.toHaveProperty("repairs");
  });

  it.each<[string, JsonSchema, unknown]>([
    ["is required", properties({ s: { type: "string" } }, ["s"]), { s: null }],
    ["is an item", properties({ a: { type: "array", items: { type: "string" } } }), { a: ["x", null] }],
    ["is the root", properties({}), null],
  ])("of a null that %s", async (_, schema, args) => {
    expect(errorOf(await mend(schema, args)).code).toBe("invalid_arguments");
  });

  it("where it is not enough, and the issues are about what came", async () => {
    const schema = properties({ n: { type: "number" }, s: { type: "string" } }, ["s"]);
    const outcome = await mend(schema, { n: "1" });
    expect(outcome).not.toHaveProperty("repairs");
    expect(
      errorOf(outcome)
        .issues?.map(({ path }) => path)
        .sort(),
    ).toEqual(["/n", "/s"]);
  });
});
