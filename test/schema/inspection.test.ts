import { describe, expect, it } from "vitest";
import { createCheck } from "../../src/schema/check.ts";
import { createRegistry, type JsonObject, type JsonSchema } from "../../src/index.ts";
import { toolOf } from "../core/one-tool.ts";

const accepts = (schema: JsonSchema, value: unknown) => createCheck(schema).accepts(value);

describe("a schema is looked at when it is registered", () => {
  const nested = (depth: number) => {
    let schema: JsonSchema = { type: "object" };
    for (let i = 0; i < depth; i++) schema = { type: "object", properties: { a: schema } };
    return schema;
  };

  it.each<[string, JsonSchema, RegExp]>([
    ["an unknown type", { type: "objekt" }, /not valid JSON Schema: \/type/],
    ["a pattern that is none", { properties: { a: { pattern: "(" } } }, /\/properties\/a is not a regular expression/],
    ["a patternProperties key that is none", { patternProperties: { "[": {} } }, /regular expression/],
    ["a reference to nowhere", { properties: { a: { $ref: "#/$defs/no" } } }, /"#\/\$defs\/no" at \/properties\/a/],
    [
      "a reference to nowhere that the compiler never comes to",
      { type: "object", $ref: "#", anyOf: [true, { $ref: "#/definitions/a" }] },
      /"#\/definitions\/a" at \/anyOf\/1/,
    ],
    [
      "such a reference beside an anchor",
      { anyOf: [{ $ref: "#/$defs/b" }, {}], not: { $anchor: "here" } },
      /"#\/\$defs\/b" at \/anyOf\/0/,
    ],
    [
      "such a reference in a schema with an $id of its own",
      { properties: { x: { $id: "y", anyOf: [{ $ref: "#/$defs/b" }, {}] } } },
      /"#\/\$defs\/b" at \/properties\/x\/anyOf\/0/,
    ],
    ["a reference without #", { $ref: "Range" }, /Range/],
    ["a reference to the web", { $ref: "http://169.254.169.254/x" }, /169/],
    [
      "a reference to a bad schema that stands elsewhere",
      { $ref: "#/components/A", components: { A: { type: "objekt" } } },
      /type/,
    ],
    [
      "a reference to a bad pattern that stands elsewhere",
      { $ref: "#/components/A", components: { A: { pattern: "[" } } },
      /regular expression/,
    ],
    ["$async", { $async: true }, /\$async/],
    ["$async within", { properties: { a: { $async: true } } }, /\$async.*\/properties\/a/],
    ["$async that stands elsewhere", { $ref: "#/x/A", x: { A: { $async: true } } }, /\$async/],
    ["$data", { properties: { a: { pattern: { $data: "1/b" } } } }, /not valid JSON Schema/],
    ["an $id twice", { $defs: { a: { $id: "urn:x", type: "string" }, b: { $id: "urn:x", type: "number" } } }, /urn:x/],
    [
      "a name twice, where no schema stands",
      { id: { $anchor: "a" }, x: { toString: { $anchor: "a" } }, toString: { y: { $anchor: "a" } } },
      /"#a" resolves/,
    ],
    ["an $id twice, where no schema stands", { $id: "r", x: { $id: "urn:x:1" }, y: { $id: "urn:x:1" } }, /urn:x/],
    ["an $id that is no URI", { $id: "urn:x" }, /URN/],
    ["an anchor that is none, where no schema stands", { x: { $anchor: "?" } }, /anchor/],
    ["an $id of another type behind a reference", { $ref: "#/x", x: { $id: 5 } }, /wrong type/],
    ["201 levels", nested(201), /200 levels/],
    ["20,000 levels", nested(20_000), /too deeply/],
  ])("and refused for %s", (_, schema, reason) => {
    expect(() => createCheck(schema)).toThrow(reason);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a number", 0],
    ["a text", ""],
    ["a list", []],
    ["a Date", new Date(0)],
    ["a function", () => ({})],
    ["a symbol", Symbol("schema")],
    ["nothing", undefined],
    ["what writes itself as a number", { toJSON: () => 5 }],
  ])("and refused where it is %s", (_, schema) => {
    expect(() => createCheck(schema as JsonSchema)).toThrow("the schema is neither an object nor true or false");
    if (schema === undefined) return;
    const registry = createRegistry();
    const [skipped] = registry.replace("test", [toolOf({ response: schema as JsonSchema })]);
    expect(skipped?.reason).toContain('in "response", the schema is neither an object');
  });

  it.each<[string, JsonSchema]>([
    [
      "a circle",
      Object.assign(
        { a: {} },
        {
          a: {
            get a() {
              return this;
            },
          },
        },
      ),
    ],
    ["a bigint", { const: 1n }],
  ])("and refused where it holds %s", (_, schema) => {
    expect(() => createCheck(schema)).toThrow("the schema cannot be written as JSON");
  });

  it("and works with 100 levels", () => {
    expect(accepts(nested(100), { a: { a: 1 } })).toBe(false);
    expect(accepts(nested(100), { a: { a: {} } })).toBe(true);
  });

  it("and compiled once for all that are equal", () => {
    const made = (minLength: number) =>
      createCheck({ type: "object", properties: { a: { type: "string", minLength } } });
    expect(made(1)).toBe(made(1));
    expect(made(2)).not.toBe(made(1));
  });

  it("and may hold patterns that are legal only without the u flag", () => {
    expect(accepts({ pattern: "^[\\w-.]+$" }, "a-b.c")).toBe(true);
    expect(accepts({ pattern: "^.$" }, "\u{1f600}")).toBe(true);
  });

  it.each(["\\-", "^[\\w-.]+$"])("%s, without which the others mean what they did", (loose) => {
    const beside: JsonObject[] = [
      { $defs: { unused: { pattern: loose } } },
      { properties: { loose: { pattern: loose } } },
      { $defs: { unused: { patternProperties: { [loose]: false } } } },
    ];
    for (const schema of beside) {
      expect(accepts({ ...schema, pattern: "^\\p{L}+$" }, "né")).toBe(true);
      expect(accepts({ ...schema, pattern: "^\\p{L}+$" }, "p{L}")).toBe(false);
      expect(accepts({ ...schema, pattern: "^.$" }, "\u{1f600}")).toBe(true);
      const closed = { ...schema, patternProperties: { "^\\p{L}$": {} }, additionalProperties: false };
      expect([accepts(closed, { é: 1 }), accepts(closed, { "1": 1 })]).toEqual([true, false]);
    }
    expect([accepts({ pattern: loose }, "a-b.c"), accepts({ pattern: loose }, "é")]).toEqual([true, false]);
  });
});
