import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRegistry, defineTool, invoke, type JsonSchema } from "../../src/index.ts";
import { callWith, errorOf } from "../core/one-tool.ts";

const long = `^(?:${Array.from({ length: 30 }, (_, index) => `[a-z]${index}`).join("|")})$`;

async function issuesOf(v: JsonSchema, value: unknown) {
  const { issues = [], message } = errorOf(await callWith({ type: "object", properties: { v } }, { v: value }));
  expect(message).not.toContain(long);
  expect(JSON.stringify(issues)).not.toContain(JSON.stringify(long));
  return issues;
}

describe("a format", () => {
  it.each([
    ["email", "must be an email address"],
    ["uuid", "must be a UUID"],
    ["date", "must be a date such as 2026-01-31"],
    ["date-time", "must be a date and time such as 2026-01-31T09:30:00Z"],
    ["uri", "must be a URI such as https://example.com/path"],
    ["relative-json-pointer", "must be in the format relative-json-pointer"],
  ])("%s is told in words", async (format, message) => {
    expect(await issuesOf({ type: "string", format }, "no, not this")).toEqual([
      { path: "/v", message, keyword: "format", expected: format },
    ]);
  });

  it.each<[string, JsonSchema]>([
    ["beside it", { format: "email", pattern: long }],
    ["in an allOf", { format: "email", allOf: [{ pattern: "^a+$" }, { allOf: [{ pattern: long }] }] }],
    ["in an allOf of both", { allOf: [{ format: "email" }, { pattern: long }] }],
    ["that is short", { format: "email", pattern: "^a+$" }],
  ])("that a value is not in leaves out the pattern %s", async (_, schema) => {
    expect(await issuesOf(schema, "no, not this")).toEqual([
      { path: "/v", message: "must be an email address", keyword: "format", expected: "email" },
    ]);
  });

  it("leaves the pattern of another branch, and of another value", async () => {
    const either = await issuesOf({ anyOf: [{ format: "email" }, { pattern: "^a+$" }] }, "no, not this");
    expect(either.map(({ keyword }) => keyword)).toEqual(expect.arrayContaining(["format", "pattern"]));
    const pair: JsonSchema = { properties: { a: { format: "email" }, b: { pattern: "^a+$" } } };
    expect(await issuesOf(pair, { a: "no", b: "no" })).toMatchObject([{ path: "/v/a" }, { path: "/v/b" }]);
  });

  it("that a value is in is told beside the pattern that it fails", async () => {
    expect(await issuesOf({ format: "email", pattern: "@example[.]com$" }, "me@other.org")).toEqual([
      {
        path: "/v",
        message: 'must be an email address, and must match pattern "@example[.]com$"',
        keyword: "pattern",
        expected: "@example[.]com$",
      },
    ]);
    expect(await issuesOf({ format: "uri", pattern: long }, "https://example.com/")).toEqual([
      {
        path: "/v",
        message: "must be a URI such as https://example.com/path, and must match the pattern that its schema contains",
        keyword: "pattern",
      },
    ]);
  });
});

describe("a pattern", () => {
  it("is told if it is short", async () => {
    expect(await issuesOf({ pattern: "^a+$" }, "b")).toEqual([
      { path: "/v", message: 'must match pattern "^a+$"', keyword: "pattern", expected: "^a+$" },
    ]);
    expect(await issuesOf({ format: "plate", pattern: "^a+$" }, "b")).toMatchObject([
      { message: 'must match pattern "^a+$"' },
    ]);
  });

  it.each<[string, JsonSchema, string]>([
    ["by nothing", {}, "must match the pattern that its schema contains"],
    ["by an example", { examples: ["AB-1"] }, "must match the pattern that its schema contains, such as AB-1"],
    [
      "by a description",
      { description: "An order number" },
      "must match the pattern that its schema contains, described as: An order number",
    ],
    ["by a format without a name", { format: "order-number" }, "must be in the format order-number"],
  ])("that is long is told without itself, helped %s", async (_, beside, message) => {
    expect(await issuesOf({ ...(beside as object), pattern: long }, "b")).toEqual([
      { path: "/v", message, keyword: "pattern" },
    ]);
  });
});

describe("a text format of a schema library", () => {
  const formats = {
    email: z.email(),
    uuid: z.uuid(),
    datetime: z.iso.datetime(),
    date: z.iso.date(),
    duration: z.iso.duration(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    cidr: z.cidrv4(),
    base64: z.base64(),
    ulid: z.ulid(),
    cuid: z.cuid(),
    nanoid: z.nanoid(),
    ksuid: z.ksuid(),
    e164: z.e164(),
    emailWithMore: z
      .string()
      .regex(/^[a-z]/)
      .email(),
  };

  it.each(Object.entries(formats))("%s is one issue, in words", async (_, v) => {
    const tool = defineTool({ name: "tool", description: "A tool.", parameters: z.object({ v }), execute: () => null });
    const registry = createRegistry({ tools: [tool] });
    const error = errorOf(await invoke(registry, { name: "tool", arguments: { v: "!!!! no" } }));
    expect(error.code).toBe("invalid_arguments");
    expect(error.issues).toHaveLength(1);
    expect(error.issues?.[0]).toMatchObject({
      path: "/v",
      message: expect.stringMatching(/^must be an? |^must be text /),
    });
    expect(JSON.stringify(error)).not.toContain("^");
  });

  it("says what else is asked of a value that is in the format", async () => {
    const parameters = z.object({ v: z.iso.datetime() });
    const tool = defineTool({ name: "tool", description: "A tool.", parameters, execute: () => null });
    const registry = createRegistry({ tools: [tool] });
    const call = { name: "tool", arguments: { v: "2026-01-31T09:30:00+01:00" } };
    expect(errorOf(await invoke(registry, call)).issues).toEqual([
      {
        path: "/v",
        message:
          "must be a date and time such as 2026-01-31T09:30:00Z, and must match the pattern that its schema contains",
        keyword: "pattern",
      },
    ]);
  });
});
