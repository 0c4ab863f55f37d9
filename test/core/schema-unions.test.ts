import { describe, expect, it } from "vitest";
import { toIssues } from "../../src/core/issues.ts";
import { createCheck } from "../../src/core/schema.ts";
import type { JsonSchema } from "../../src/index.ts";

const told = (schema: JsonSchema, value: unknown) =>
  toIssues(createCheck(schema).findings(value)).map(({ path, message }) => `${path} ${message}`);

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

  it("names the tags where none of them fits", () => {
    const issues = told({ oneOf: [circle, square] }, { kind: "cirle", r: 1 });
    expect(issues).toEqual(expect.arrayContaining(["/kind must be circle", "/kind must be square"]));
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

it("a value that fits has nothing wrong", () => {
  expect(told(byRef, { kind: "circle", r: 1 })).toEqual([]);
});
