import { describe, expect, it } from "vitest";
import { toIssues } from "../../../src/schema/issues.ts";
import { createCheck } from "../../../src/schema/check.ts";
import type { JsonSchema } from "../../../src/index.ts";

const told = (schema: JsonSchema, value: unknown) =>
  toIssues(createCheck(schema).findings(value), createCheck(schema).schema).map(
    ({ path, message }) => `${path} ${message}`,
  );

const circle = {
  type: "object",
  required: ["kind", "r"],
  properties: { kind: { const: "circle" }, r: { type: "number" } },
};
const square = {
  type: "object",
  required: ["kind", "side"],
  properties: { kind: { const: "square" }, side: { type: "number" } },
};
const byRef = {
  $ref: "#/$defs/shape",
  $defs: {
    circle,
    square,
    shape: { oneOf: [{ $ref: "#/$defs/circle" }, { $ref: "#/$defs/square" }] },
  },
};

describe("what is wrong with a value of a union", () => {
  it.each([{ oneOf: [circle, square] }, { anyOf: [circle, square] }, byRef])(
    "is told of the branch whose const fits",
    (schema) => {
      expect(told(schema, { kind: "circle", r: "1" })).toEqual(["/r must be number, not string"]);
      expect(told(schema, { kind: "square" })).toEqual(["/side is required"]);
    },
  );

  it("is told of the branch whose type fits", () => {
    const schema = {
      anyOf: [{ type: "string", maxLength: 2 }, { type: "array", maxItems: 1 }, { type: "null" }],
    };
    expect(told(schema, "abc")).toEqual([" must have at most 2 characters"]);
    expect(told(schema, [1, 2])).toEqual([" must have at most 1 item"]);
  });

  it("is its type where no branch has that, in one issue", () => {
    expect(told({ anyOf: [{ type: "string" }, { type: ["array", "null"] }, { type: "string" }] }, 5)).toEqual([
      " must be string or array or null, not number",
    ]);
  });

  it("is its tag where no branch has that, in one issue", () => {
    for (const union of [{ oneOf: [circle, square] }, { anyOf: [circle, square] }, byRef]) {
      expect(told(union, { kind: "cirle", r: "no" })).toEqual(["/kind must be one of circle, square"]);
      expect(told(union, { kind: 5 })).toEqual(["/kind must be one of circle, square"]);
      expect(told(union, { r: 1 })).toEqual(["/kind is required, and must be one of circle, square"]);
    }
    const check = createCheck({ oneOf: [circle, square] });
    expect(toIssues(check.findings({ kind: "squar", side: 1 }), check.schema)).toMatchObject([
      { path: "/kind", keyword: "enum", expected: ["circle", "square"], suggestion: "square" },
    ]);
  });

  it("is the union itself where several branches of a oneOf fit", () => {
    const schema = { oneOf: [{ required: ["a"] }, { required: ["b"] }, { required: ["c"] }] };
    expect(told(schema, { a: 1, b: 1 })).toEqual([expect.stringContaining("exactly one")]);
  });

  it("is told of each item by its own branch, of item 1 as of item 10", () => {
    const items = Array.from({ length: 11 }, (): object => ({ kind: "circle", r: 1 }));
    items[1] = { kind: "circle", r: "no" };
    items[10] = { kind: "square", side: "no" };
    expect(told({ items: { oneOf: [circle, square] } }, items)).toEqual([
      "/1/r must be number, not string",
      "/10/side must be number, not string",
    ]);
  });

  it("is not told of another value whose path begins likewise", () => {
    const shape = { oneOf: [circle, square] };
    const schema = { additionalProperties: shape };
    const value = { ab: { kind: "circle", r: "no" }, a: { kind: "square", side: "no" } };
    expect(told(schema, value)).toEqual(["/ab/r must be number, not string", "/a/side must be number, not string"]);
  });

  it("is told through a union in a union", () => {
    const schema = { anyOf: [{ type: "null" }, { oneOf: [circle, square] }] };
    expect(told(schema, { kind: "square", side: "no" })).toEqual(["/side must be number, not string"]);
  });

  it("leaves alone what is wrong beside the union", () => {
    const schema = { required: ["x"], properties: { v: { anyOf: [circle, square] } } };
    expect(told(schema, { v: { kind: "circle" } }).sort()).toEqual(["/v/r is required", "/x is required"]);
  });
});

describe("BuilderIO/agent-native#2550: what is wrong beside the tag", () => {
  const cat = { properties: { kind: { const: "cat" }, lives: { type: "integer" } }, required: ["kind", "lives"] };
  const dog = { properties: { kind: { const: "dog" }, breed: { enum: ["lab", "pug"] } }, required: ["kind", "breed"] };

  it("does not rule out the branch that was meant, whatever keyword it breaks", () => {
    const schema = { properties: { pet: { oneOf: [cat, dog] } } };
    expect(told(schema, { pet: { kind: "dog", breed: "husky" } })).toEqual(["/pet/breed must be one of lab, pug"]);
  });

  it("is told of the arguments themselves too", () => {
    const check = { type: "object", oneOf: [cat, dog] };
    expect(told(check, { kind: "dog", breed: "husky" })).toEqual(["/breed must be one of lab, pug"]);
    expect(told(check, { kind: "cow" })).toEqual(["/kind must be one of cat, dog"]);
  });

  it("is told where one branch has no tag", () => {
    const schema = { anyOf: [cat, dog, { type: "null" }, { required: ["name"] }] };
    expect(told(schema, null)).toEqual([]);
    expect(told(schema, { kind: "dog", breed: "husky" })).toEqual(
      expect.not.arrayContaining([expect.stringContaining("lives"), expect.stringContaining("cat")]),
    );
  });

  it("is told by a second tag where the first is that of several branches", () => {
    const version = (v: number, more: object) => ({ properties: { kind: { const: "cat" }, v: { const: v }, ...more } });
    const schema = { oneOf: [version(1, { a: { type: "string" } }), version(2, { a: { type: "number" } }), dog] };
    expect(told(schema, { kind: "cat", v: 2, a: "x" })).toEqual(["/a must be number, not string"]);
    expect(told(schema, { kind: "cat", v: 3 })).toEqual(["/v must be one of 1, 2"]);
  });

  it("is one issue of values where the branches are nothing but values", () => {
    expect(told({ anyOf: [{ const: "a" }, { const: 2 }, { enum: [null, true] }] }, "b")).toEqual([
      " must be one of a, 2, null, true",
    ]);
  });
});

describe("a tag of several values", () => {
  const round = {
    required: ["kind", "r"],
    properties: { kind: { enum: ["circle", "disc"] }, r: { type: "number" }, unit: { enum: ["cm", "in"] } },
  };
  const angular = {
    required: ["kind", "side"],
    properties: { kind: { enum: ["square", "box"] }, side: { type: "number" }, unit: { enum: ["cm", "in", "m"] } },
  };
  const line = { required: ["kind", "length"], properties: { kind: { const: "line" }, length: { type: "number" } } };
  const unions = [{ oneOf: [round, angular, line] }, { anyOf: [round, angular] }];

  it.each(unions)("tells which branch was meant", (schema) => {
    expect(told(schema, { kind: "disc" })).toEqual(["/r is required"]);
    expect(told(schema, { kind: "box", side: "1", unit: "cm" })).toEqual(["/side must be number, not string"]);
    expect(told(schema, { kind: "circle", r: 1, unit: "m" })).toEqual(["/unit must be one of cm, in"]);
  });

  it.each(unions)("is one issue if no branch has it", (schema) => {
    const names = schema.oneOf === undefined ? "circle, disc, square, box" : "circle, disc, square, box, line";
    expect(told(schema, { kind: "cirle", r: "x" })).toEqual([`/kind must be one of ${names}`]);
    expect(told(schema, { side: 1 })).toEqual([`/kind is required, and must be one of ${names}`]);
  });

  it("does not come before a tag of one value", () => {
    const of = (kind: string, units: string[]) => ({
      required: ["kind"],
      properties: { kind: { const: kind }, unit: { enum: units } },
    });
    const schema = { oneOf: [of("heat", ["celsius", "kelvin"]), of("size", ["metre", "inch", "mile"])] };
    expect(told(schema, { kind: "heat", unit: "mile" })).toEqual(["/unit must be one of celsius, kelvin"]);
  });

  it("is no tag if a branch has any value there", () => {
    const other = { required: ["y"], properties: { y: { type: "number" } } };
    const schema = {
      anyOf: [{ required: ["x"], properties: { x: { type: "number" }, unit: { enum: ["a", "b"] } } }, other],
    };
    expect(told(schema, { x: 1, unit: "c" })).toEqual(expect.arrayContaining(["/unit must be one of a, b"]));
  });
});

describe("if, then and else", () => {
  const kindIs = (kind: unknown, required = true) => ({
    properties: { kind: { const: kind } },
    ...(required && { required: ["kind"] }),
  });
  const needs = (key: string) => ({ required: [key], properties: { [key]: { type: "number" } } });
  const kinds = { properties: { kind: { enum: ["a", "b", "c"] } }, required: ["kind"] };

  it.each([
    { if: kindIs("a"), then: needs("x"), else: needs("y") },
    { ...kinds, if: kindIs("a"), then: needs("x"), else: { if: kindIs("b"), then: needs("y"), else: needs("z") } },
    {
      ...kinds,
      allOf: [
        { if: kindIs("a"), then: needs("x") },
        { if: kindIs("b"), then: needs("y") },
      ],
    },
    {
      ...kinds,
      allOf: [
        { if: kindIs("a", false), then: needs("x") },
        { if: kindIs("b", false), then: needs("y") },
      ],
    },
  ])("give the issue of the branch that was chosen, and no second one: %j", (schema) => {
    expect(told(schema, { kind: "a" })).toEqual(["/x is required"]);
    expect(told(schema, { kind: "a", x: "1" })).toEqual(["/x must be number, not string"]);
    expect(told(schema, { kind: "b" })).toEqual(["/y is required"]);
    expect(told({ items: schema }, [{ kind: "a", x: 1 }, { kind: "b" }])).toEqual(["/1/y is required"]);
  });

  it.each([
    { ...kinds, if: kindIs("a"), then: needs("x"), else: needs("y") },
    { ...kinds, if: kindIs("a", false), then: needs("x"), else: needs("y") },
    { if: kindIs("a"), then: needs("x"), else: needs("y"), ...kinds },
    { ...kinds, if: kindIs("a"), then: needs("x"), else: { if: kindIs("b"), then: needs("y"), else: needs("z") } },
    { allOf: [{ if: kindIs("a", false), then: needs("x") }, { if: kindIs("b", false), then: needs("y") }, kinds] },
  ])("give one issue if the member that they look at is wrong: %j", (schema) => {
    expect(told(schema, { kind: "d" })).toEqual(["/kind must be one of a, b, c"]);
    expect(told(schema, {})).toEqual(["/kind is required"]);
  });

  it.each([
    { if: kindIs("a"), then: needs("x"), else: { allOf: [kindIs("b"), needs("y")] } },
    { if: kindIs("a"), then: needs("x"), else: { if: kindIs("b"), then: needs("y"), else: false } },
    { if: kindIs("a"), then: needs("x"), else: { if: kindIs("b"), then: needs("y"), else: kindIs("b") } },
  ])("give one issue with every tag if no branch has the value's: %j", (schema) => {
    expect(told(schema, { kind: "d", x: 1 })).toEqual(["/kind must be one of a, b"]);
    expect(told(schema, { kind: "b" })).toEqual(["/y is required"]);
  });

  it("name the tags if the last branch requires one", () => {
    const schema = { if: kindIs("a"), then: needs("x"), else: { allOf: [kindIs("b"), needs("y")] } };
    expect(told(schema, {})).toEqual(["/kind is required, and must be one of a, b"]);
  });

  it("are settled inside a union, and hold one", () => {
    const condition = { type: "object", if: kindIs("a"), then: needs("x") };
    expect(told({ anyOf: [{ type: "null" }, condition] }, { kind: "a" })).toEqual(["/x is required"]);
    expect(
      told(
        { if: kindIs("a"), then: { properties: { shape: { oneOf: [circle, square] } } } },
        {
          kind: "a",
          shape: { kind: "circle" },
        },
      ),
    ).toEqual(["/shape/r is required"]);
    expect(told({ if: kindIs("a"), then: { oneOf: [circle, square] }, else: true }, { kind: "a" })).toEqual([
      "/kind must be one of circle, square",
    ]);
  });

  it("keep what is wrong beside the branch", () => {
    const schema = { ...needs("n"), if: kindIs("a"), then: needs("x") };
    expect(told(schema, { kind: "a" }).toSorted()).toEqual(["/n is required", "/x is required"]);
  });
});

describe("a union whose branches are told apart by keys of their own", () => {
  const branch = (key: string) => ({
    type: "object",
    required: [key],
    properties: { [key]: { type: "string" }, name: { type: "string" } },
    additionalProperties: false,
  });
  const unions: JsonSchema[] = [
    { oneOf: [branch("file"), branch("url")] },
    { anyOf: [{ $ref: "#/$defs/file" }, { $ref: "#/$defs/url" }], $defs: { file: branch("file"), url: branch("url") } },
  ];

  it.each(unions)("says what is wrong with the branch whose key the value has: %j", (schema) => {
    expect(told(schema, { file: 7 })).toEqual(["/file must be string, not number"]);
    expect(told(schema, { url: "u", nam: "n" })).toEqual(['/nam is not a known property (did you mean "name"?)']);
    expect(told(schema, { url: "u", name: 1 })).toEqual(["/name must be string, not number"]);
  });

  it.each(unions)("says what each branch asks for if the value has the keys of none or of both: %j", (schema) => {
    for (const value of [{}, { name: "n" }, { file: "f", url: "u" }]) {
      expect(told(schema, value).length).toBeGreaterThan(1);
    }
  });

  it("does not choose if a branch has no key of its own", () => {
    const open = { type: "object", properties: { file: { type: "string" }, name: { type: "string" } } };
    expect(told({ oneOf: [branch("file"), open] }, { file: 7 }).length).toBeGreaterThan(1);
  });
});

it("a value that fits has nothing wrong", () => {
  expect(told(byRef, { kind: "circle", r: 1 })).toEqual([]);
});
