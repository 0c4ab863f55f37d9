import { describe, expect, it } from "vitest";
import { createRestorer, restoreArguments } from "../../../src/dialects/restore/restore.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { cpuMs } from "../../cpu-time.ts";

const text = { type: "string" };

function objectOf(properties: JsonObject, fields: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...fields };
}

describe("restoreArguments", () => {
  it("gives the arguments themselves back where there is nothing to undo", () => {
    const parameters = objectOf({ a: text, n: { type: ["string", "null"] } });
    for (const args of [{}, { a: "x" }, { n: null }, { unknown: null }, { a: { b: [null] } }]) {
      const { value, repairs } = restoreArguments("openai", parameters, args);
      expect(value).toBe(args);
      expect(repairs).toEqual([]);
    }
    expect(restoreArguments("openai", parameters, null).value).toBe(null);
    expect(restoreArguments("openai", parameters, [null]).value).toEqual([null]);
  });

  it("leaves out null for what may be left out and may not be null", () => {
    const parameters = objectOf(
      { a: text, b: text, list: { type: "array", items: objectOf({ "x/y": text }) } },
      { required: ["b"] },
    );
    expect(restoreArguments("openai", parameters, { a: null, b: null, list: [{ "x/y": null }] })).toEqual({
      value: { b: null, list: [{}] },
      repairs: [
        { path: "/a", kind: "dropped_null" },
        { path: "/list/0/x~1y", kind: "dropped_null" },
      ],
    });
  });

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["a reference", { $ref: "#/$defs/o" }, { a: null }, {}],
    ["allOf", { allOf: [{ $ref: "#/$defs/o" }] }, { a: null }, {}],
    [
      "a tag's alternative",
      { oneOf: [{ $ref: "#/$defs/left" }, { $ref: "#/$defs/right" }] },
      { kind: "left", a: null },
      { kind: "left" },
    ],
    [
      "a tag's other alternative",
      { oneOf: [{ $ref: "#/$defs/left" }, { $ref: "#/$defs/right" }] },
      { kind: "right", a: null },
      { kind: "right", a: null },
    ],
    ["additionalProperties", { additionalProperties: { $ref: "#/$defs/o" } }, { k: { a: null } }, { k: {} }],
    ["then", { then: { $ref: "#/$defs/o" }, if: {} }, { a: null }, {}],
    ["a nullable of OpenAPI", objectOf({ a: { type: "string", nullable: true } }), { a: null }, { a: null }],
    ["an enum with null", objectOf({ a: { enum: ["x", null] } }), { a: null }, { a: null }],
    ["an alternative that is null", objectOf({ a: { anyOf: [text, { type: "null" }] } }), { a: null }, { a: null }],
  ])("looks through %s", (_, schema, args, restored) => {
    const $defs = {
      o: objectOf({ a: text }),
      left: objectOf({ kind: { const: "left" }, a: text }, { required: ["kind"] }),
      right: objectOf({ kind: { const: "right" }, a: { type: ["string", "null"] } }, { required: ["kind"] }),
    };
    const parameters = objectOf({ p: schema }, { $defs });
    expect(restoreArguments("openai", parameters, { p: args }).value).toEqual({ p: restored });
  });

  it("gives keys their own names back, at the root for Anthropic and everywhere for Gemini", () => {
    const parameters = objectOf({ $top: text, deep: objectOf({ $skip: text }) });
    expect(restoreArguments("anthropic", parameters, { _top: "a", deep: { _skip: "b" } })).toEqual({
      value: { $top: "a", deep: { _skip: "b" } },
      repairs: [{ path: "/_top", kind: "restored_key" }],
    });
    expect(restoreArguments("gemini", parameters, { _top: "a", deep: { _skip: "b" } })).toEqual({
      value: { $top: "a", deep: { $skip: "b" } },
      repairs: [
        { path: "/_top", kind: "restored_key" },
        { path: "/deep/_skip", kind: "restored_key" },
      ],
    });
    expect(restoreArguments("openai", parameters, { _top: "a" }).repairs).toEqual([]);
  });

  it("keeps a key that is one of the schema's own, or whose own name is given too", () => {
    const both = objectOf({ $top: text, _top: text });
    expect(restoreArguments("anthropic", both, { _top: "a" }).repairs).toEqual([]);
    expect(restoreArguments("anthropic", objectOf({ $top: text }), { _top: "a", $top: "b" }).repairs).toEqual([]);
  });

  it("names places as they came, and drops null under a name that was given back", () => {
    const parameters = objectOf({ $o: objectOf({ $a: text, b: text }) });
    expect(restoreArguments("gemini", parameters, { _o: { _a: null, b: null } })).toEqual({
      value: { $o: {} },
      repairs: [
        { path: "/_o", kind: "restored_key" },
        { path: "/_o/_a", kind: "restored_key" },
        { path: "/_o/_a", kind: "dropped_null" },
        { path: "/_o/b", kind: "dropped_null" },
      ],
    });
  });

  it("holds with keys that objects inherit", () => {
    const parameters = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    ) as JsonObject;
    expect(
      restoreArguments("openai", parameters, JSON.parse('{"__proto__":"a","constructor":null,"toString":null}')).value,
    ).toEqual(JSON.parse('{"__proto__":"a","toString":null}'));
  });

  it("ends on schemas that refer to themselves, and on values that are deep or wide", () => {
    const self = objectOf({ next: { $ref: "#" }, p: { anyOf: [{ $ref: "#/properties/p" }] }, a: text });
    let args: JsonObject = { a: null };
    for (let level = 0; level < 60; level++) args = { next: args, p: null };
    const { repairs } = restoreArguments("openai", self, args);
    expect(repairs).toHaveLength(1);
    const wide = { list: Array.from({ length: 40_000 }, () => ({ a: null })) };
    const parameters = objectOf({ list: { type: "array", items: objectOf({ a: text }) } });
    const start = cpuMs();
    expect(restoreArguments("openai", parameters, wide).repairs).toHaveLength(40_000);
    expect(cpuMs() - start).toBeLessThan(6000);
  });

  it("drops null for what alternatives have from a definition that they share", () => {
    const parameters = objectOf(
      {
        p: {
          anyOf: ["x", "y"].map((key) => ({ allOf: [{ $ref: "#/$defs/base" }, objectOf({ [key]: text })] })),
        },
      },
      { $defs: { base: objectOf({ a: text }) } },
    );
    expect(restoreArguments("openai", parameters, { p: { a: null, x: "1" } }).value).toEqual({ p: { x: "1" } });
  });

  it("asks each null once, and nothing of more values than a model writes", () => {
    const branches = Array.from({ length: 40 }, (_, at) => objectOf({ [`p${at}`]: text, a: text }));
    const nullsOf = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, null]));
    const start = cpuMs();
    for (const count of [50_000, 300_000]) {
      const args = { p: nullsOf(count) };
      expect(restoreArguments("openai", objectOf({ p: { anyOf: branches } }), args).value).toBe(args);
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
    expect(restoreArguments("openai", parameters, args).value).toBe(args);
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
    expect(restoreArguments("openai", parameters, { mode, v: null }).value).toEqual({ mode, ...rest });
    const dependent = objectOf({ v: {} }, { dependentSchemas: { x: objectOf({ v: text }) } });
    expect(restoreArguments("openai", dependent, { [mode]: 1, v: null }).value).toEqual({ [mode]: 1, ...rest });
  });

  it("leaves alone what is accepted as it came, but for keys that go by another name", () => {
    const parameters = objectOf({ $a: text, b: text });
    const restoreWith = (accepts: boolean) =>
      createRestorer("anthropic")(parameters, { _a: "x", b: null }, () => accepts).value;
    expect(restoreWith(true)).toEqual({ $a: "x", b: null });
    expect(restoreWith(false)).toEqual({ $a: "x" });
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
    expect(restoreArguments("openai", parameters, { list }).repairs).toHaveLength(repairs);
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
    const restore = createRestorer("gemini");
    const start = cpuMs();
    for (let call = 0; call < 128; call++) restore(parameters, { list });
    expect(cpuMs() - start).toBeLessThan(4500);
  });

  it("undoes so much for the calls of one reply together, and leaves the rest as it is", () => {
    const list = Array.from({ length: 30_000 }, () => ({ v: null }));
    const parameters = objectOf({ list: { type: "array", items: objectOf({ v: text }) } });
    const restore = createRestorer("openai");
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
    expect(restoreArguments("openai", parameters, args)).toEqual({ value: args, repairs: [] });
  });

  it("gets to know large alternatives over a few replies", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`s${at}`, { enum: [at, "x"] }]));
    const branches = Array.from({ length: 400 }, () => ({ $ref: "#/$defs/many" }));
    const parameters = { ...union(branches), $defs: { many: objectOf({ ...many, v: text }) } };
    const counts = Array.from(
      { length: 8 },
      () => restoreArguments("openai", parameters, { list: [{ v: null }] }).repairs.length,
    );
    expect(counts.at(-1)).toBe(1);
  });

  it("takes a key of an open object for the property that was declared by it", () => {
    // What a model that was told of `_t` writes is `$t`, though the tool would take `_t` as well.
    const parameters = objectOf({ $t: { type: "array" } });
    expect(createRestorer("anthropic")(parameters, { _t: [] }, () => true).value).toEqual({ $t: [] });
    const both = { _t: [], $t: [] };
    expect(restoreArguments("anthropic", parameters, both).value).toBe(both);
  });
});
