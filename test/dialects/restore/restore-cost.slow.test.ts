import { describe, expect, it } from "vitest";
import { dialects } from "../../../src/dialects/dialects.ts";
import { createRestorer, restoreArguments } from "../../../src/dialects/restore/restore.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { cpuMs } from "../../cpu-time.ts";

const text = { type: "string" };

function objectOf(properties: JsonObject, fields: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...fields };
}

describe("the cost of restoreArguments", () => {
  it("asks each null once, and nothing of more values than a model writes", () => {
    const branches = Array.from({ length: 40 }, (_, at) => objectOf({ [`p${at}`]: text, a: text }));
    const nullsOf = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, null]));
    const start = cpuMs();
    for (const count of [50_000, 300_000]) {
      const args = { p: nullsOf(count) };
      expect(restoreArguments(dialects.openai, objectOf({ p: { anyOf: branches } }), args).value).toBe(args);
    }
    expect(cpuMs() - start).toBeLessThan(6000);
  });

  const nullable = { type: ["string", "null"] };

  it.each<[string, JsonObject, JsonObject]>([
    [
      "then",
      objectOf(
        { mode: { enum: ["x", "y"] }, v: nullable },
        { if: { properties: { mode: { const: "x" } }, required: ["mode"] }, then: objectOf({ v: text }) },
      ),
      { mode: "y", v: null },
    ],
    [
      "else",
      objectOf(
        { mode: text, v: nullable },
        { if: { properties: { mode: { pattern: "^x" } } }, else: objectOf({ v: text }) },
      ),
      { mode: "x", v: null },
    ],
    ["dependentSchemas", objectOf({ v: nullable }, { dependentSchemas: { a: objectOf({ v: text }) } }), { v: null }],
    [
      "dependencies of draft-07",
      objectOf(
        { v: nullable },
        { $schema: "http://json-schema.org/draft-07/schema#", dependencies: { a: objectOf({ v: text }) } },
      ),
      { v: null },
    ],
    [
      "an alternative, further down",
      {
        type: "object",
        anyOf: [
          objectOf({ t: { pattern: "^x" }, o: objectOf({ v: text }) }),
          objectOf({ t: { pattern: "^y" }, o: objectOf({ v: nullable }) }),
        ],
      },
      { t: "y", o: { v: null } },
    ],
    [
      "a closed alternative that has a pattern for it",
      objectOf({
        p: {
          anyOf: [
            objectOf({ v: text }),
            { type: "object", patternProperties: { "^v": nullable }, additionalProperties: false },
          ],
        },
      }),
      { p: { v: null } },
    ],
  ])("keeps a null that is not refused for certain: %s", (_, parameters, args) => {
    expect(restoreArguments(dialects.openai, parameters, args).value).toBe(args);
  });

  it.each<[string, JsonObject]>([
    ["x", {}],
    ["y", { v: null }],
    [null as unknown as string, { v: null }],
  ])("drops a null that a condition refuses: mode %s", (mode, rest) => {
    const parameters = objectOf(
      { mode: { enum: ["x", "y", null] }, v: {} },
      { if: { properties: { mode: { const: "x" } }, required: ["mode"] }, then: objectOf({ v: text }) },
    );
    expect(restoreArguments(dialects.openai, parameters, { mode, v: null }).value).toEqual({ mode, ...rest });
    const dependent = objectOf({ v: {} }, { dependentSchemas: { x: objectOf({ v: text }) } });
    expect(restoreArguments(dialects.openai, dependent, { [mode]: 1, v: null }).value).toEqual({ [mode]: 1, ...rest });
  });

  const union = (branches: JsonObject[]): JsonObject =>
    objectOf({ list: { type: "array", items: { anyOf: branches } } });
  const wide = union(
    Array.from({ length: 30 }, () => ({
      allOf: Array.from({ length: 10 }, (_, at) => objectOf({ [`k${at}`]: { type: ["string", "integer"] }, v: text })),
    })),
  );
  const tagged = union(
    Array.from({ length: 100 }, (_, at) => objectOf({ k: { const: `k${at}` }, v: text }, { required: ["k"] })),
  );
  const base = objectOf({ status: { enum: ["a", "b"] }, version: { const: 1 }, v: text });
  const taggedBeside = union(
    Array.from({ length: 100 }, (_, at) => ({ allOf: [base, objectOf({ kind: { const: `k${at}` } })] })),
  );
  const nulls = { v: null, ...Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`k${at}`, null])) };

  it.each<[string, JsonObject, JsonObject[], number]>([
    ["alternatives of many parts", wide, Array(3000).fill(nulls), 33_000],
    ["tags beside what all have", taggedBeside, Array(20_000).fill({ kind: "k7", v: null, status: "a" }), 20_000],
    ["tags", tagged, Array.from({ length: 30_000 }, (_, at) => ({ k: `k${at % 100}`, v: null })), 30_000],
  ])("is quick with %s", (_, parameters, list, repairs) => {
    const start = cpuMs();
    expect(restoreArguments(dialects.openai, parameters, { list }).repairs).toHaveLength(repairs);
    expect(cpuMs() - start).toBeLessThan(3000);
  });

  const shared: JsonObject = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`s${at}`, { enum: [at, "x"] }]),
  );
  const flags = Array.from({ length: 30 }, (_, at) => `f${at}`);
  it.each<[string, JsonObject, (index: number) => JsonObject]>([
    [
      "branches with much in common",
      {
        ...union(Array.from({ length: 500 }, () => ({ $ref: "#/$defs/shared" }))),
        $defs: { shared: objectOf({ ...shared, v: text }) },
      },
      () => ({ v: null }),
    ],
    [
      "a different choice for each value",
      objectOf({
        list: {
          type: "array",
          items: objectOf(
            { v: text },
            {
              allOf: flags.map((flag) => ({
                oneOf: [true, false].map((is) => objectOf({ [flag]: { const: is }, v: { type: ["string", "null"] } })),
              })),
            },
          ),
        },
      }),
      (index) => ({ v: null, ...Object.fromEntries(flags.map((flag, at) => [flag, (index * 7919) % (at + 2) === 0])) }),
    ],
    [
      "alternatives inside alternatives",
      {
        ...objectOf({ list: { type: "array", items: { $ref: "#/$defs/d0" } } }),
        $defs: Object.fromEntries(
          Array.from({ length: 400 }, (_, at) => [
            `d${at}`,
            { anyOf: [objectOf({ [`p${at}`]: text, v: text }), { $ref: `#/$defs/d${Math.min(at + 1, 399)}` }] },
          ]),
        ),
      },
      (index) => ({ v: null, [`p${index % 400}`]: null }),
    ],
  ])("takes little time for %s", (_, parameters, itemOf) => {
    const list = Array.from({ length: 3000 }, (__, index) => itemOf(index));
    const restore = createRestorer(dialects.gemini);
    const start = cpuMs();
    for (let call = 0; call < 128; call++) restore(parameters, { list });
    expect(cpuMs() - start).toBeLessThan(4500);
  });

  it("undoes so much for the calls of one reply together, and leaves the rest as it is", () => {
    const list = Array.from({ length: 30_000 }, () => ({ v: null }));
    const parameters = objectOf({ list: { type: "array", items: objectOf({ v: text }) } });
    const restore = createRestorer(dialects.openai);
    const start = cpuMs();
    const counts = Array.from({ length: 128 }, () => restore(parameters, { list }).repairs.length);
    expect(cpuMs() - start).toBeLessThan(4500);
    expect(counts[0]).toBe(30_000);
    expect(counts.at(-1)).toBe(0);
    expect(new Set(counts)).toEqual(new Set([30_000, 0]));
  });

  it("does not name places without end", () => {
    const parameters = objectOf({}, { additionalProperties: { type: "array", items: objectOf({ v: text }) } });
    const args = { ["k".repeat(1_000_000)]: Array.from({ length: 1000 }, () => ({ v: null })) };
    expect(restoreArguments(dialects.openai, parameters, args)).toEqual({ value: args, repairs: [] });
  });

  it("gets to know large alternatives over a few replies", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`s${at}`, { enum: [at, "x"] }]));
    const branches = Array.from({ length: 400 }, () => ({ $ref: "#/$defs/many" }));
    const parameters = { ...union(branches), $defs: { many: objectOf({ ...many, v: text }) } };
    const counts = Array.from(
      { length: 8 },
      () => restoreArguments(dialects.openai, parameters, { list: [{ v: null }] }).repairs.length,
    );
    expect(counts.at(-1)).toBe(1);
  });
});
