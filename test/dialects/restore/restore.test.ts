import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { dialects } from "../../../src/dialects/dialects.ts";
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
      const { value, repairs } = restoreArguments(dialects.openai, parameters, args);
      expect(value).toBe(args);
      expect(repairs).toEqual([]);
    }
    expect(restoreArguments(dialects.openai, parameters, null).value).toBe(null);
    expect(restoreArguments(dialects.openai, parameters, [null]).value).toEqual([null]);
  });

  it("leaves out null for what may be left out and may not be null", () => {
    const parameters = objectOf(
      { a: text, b: text, list: { type: "array", items: objectOf({ "x/y": text }) } },
      { required: ["b"] },
    );
    expect(restoreArguments(dialects.openai, parameters, { a: null, b: null, list: [{ "x/y": null }] })).toEqual({
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
    expect(restoreArguments(dialects.openai, parameters, { p: args }).value).toEqual({ p: restored });
  });

  it("gives keys their own names back, at the root for Anthropic and everywhere for Gemini", () => {
    const parameters = objectOf({ $top: text, deep: objectOf({ $skip: text }) });
    expect(restoreArguments(dialects.anthropic, parameters, { _top: "a", deep: { _skip: "b" } })).toEqual({
      value: { $top: "a", deep: { _skip: "b" } },
      repairs: [{ path: "/_top", kind: "restored_key" }],
    });
    expect(restoreArguments(dialects.gemini, parameters, { _top: "a", deep: { _skip: "b" } })).toEqual({
      value: { $top: "a", deep: { $skip: "b" } },
      repairs: [
        { path: "/_top", kind: "restored_key" },
        { path: "/deep/_skip", kind: "restored_key" },
      ],
    });
    expect(restoreArguments(dialects.openai, parameters, { _top: "a" }).repairs).toEqual([]);
  });

  it("keeps a key that is one of the schema's own, or whose own name is given too", () => {
    const both = objectOf({ $top: text, _top: text });
    expect(restoreArguments(dialects.anthropic, both, { _top: "a" }).repairs).toEqual([]);
    expect(restoreArguments(dialects.anthropic, objectOf({ $top: text }), { _top: "a", $top: "b" }).repairs).toEqual(
      [],
    );
  });

  it("names places as they came, and drops null under a name that was given back", () => {
    const parameters = objectOf({ $o: objectOf({ $a: text, b: text }) });
    expect(restoreArguments(dialects.gemini, parameters, { _o: { _a: null, b: null } })).toEqual({
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
      restoreArguments(dialects.openai, parameters, JSON.parse('{"__proto__":"a","constructor":null,"toString":null}'))
        .value,
    ).toEqual(JSON.parse('{"__proto__":"a","toString":null}'));
  });

  it("ends on schemas that refer to themselves, and on values that are deep or wide", () => {
    const self = objectOf({ next: { $ref: "#" }, p: { anyOf: [{ $ref: "#/properties/p" }] }, a: text });
    let args: JsonObject = { a: null };
    for (let level = 0; level < 60; level++) args = { next: args, p: null };
    const { repairs } = restoreArguments(dialects.openai, self, args);
    expect(repairs).toHaveLength(1);
    const wide = { list: Array.from({ length: 40_000 }, () => ({ a: null })) };
    const parameters = objectOf({ list: { type: "array", items: objectOf({ a: text }) } });
    const start = cpuMs();
    expect(restoreArguments(dialects.openai, parameters, wide).repairs).toHaveLength(40_000);
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
    expect(restoreArguments(dialects.openai, parameters, { p: { a: null, x: "1" } }).value).toEqual({ p: { x: "1" } });
  });

  it("leaves alone what is accepted as it came, but for keys that go by another name", () => {
    const parameters = objectOf({ $a: text, b: text });
    const restoreWith = (accepts: boolean) =>
      createRestorer(dialects.anthropic)(parameters, { _a: "x", b: null }, () => accepts).value;
    expect(restoreWith(true)).toEqual({ $a: "x", b: null });
    expect(restoreWith(false)).toEqual({ $a: "x" });
  });

  it("takes a key of an open object for the property that was declared by it", () => {
    // What a model that was told of `_t` writes is `$t`, though the tool would take `_t` as well.
    const parameters = objectOf({ $t: { type: "array" } });
    expect(createRestorer(dialects.anthropic)(parameters, { _t: [] }, () => true).value).toEqual({ $t: [] });
    const both = { _t: [], $t: [] };
    expect(restoreArguments(dialects.anthropic, parameters, both).value).toBe(both);
  });
});

describe("null for a property of another alternative of the root", () => {
  const tagged = (kind: string, fields: JsonObject, more: JsonObject = {}) =>
    objectOf({ kind: { const: kind }, ...fields }, { required: ["kind", ...Object.keys(fields)], ...more });
  const left = tagged("left", { a: text });
  const right = tagged("right", { b: { type: "number" } });
  const drop = (parameters: JsonObject, args: JsonObject, dialect: keyof typeof dialects = "openai") => {
    const accepts = new Ajv2020().compile(parameters);
    return createRestorer(dialects[dialect])(parameters, args, (value) => accepts(value));
  };
  const unions: [string, JsonObject][] = [
    ["oneOf", { type: "object", oneOf: [left, right] }],
    ["anyOf", { type: "object", anyOf: [left, right] }],
    ["a union in allOf", { type: "object", allOf: [{ oneOf: [left, right] }] }],
    ["a union of references", { type: "object", oneOf: [{ $ref: "#/$defs/l" }, right], $defs: { l: left } }],
    ["a nested union", { type: "object", oneOf: [{ type: "object", anyOf: [left] }, right] }],
    [
      "closed alternatives",
      {
        type: "object",
        oneOf: [left, right].map((each) => ({ ...each, additionalProperties: false })),
      },
    ],
  ];

  it.each(unions)("is removed, with %s", (_, parameters) => {
    expect(drop(parameters, { kind: "left", a: "x", b: null })).toEqual({
      value: { kind: "left", a: "x" },
      repairs: [{ path: "/b", kind: "dropped_null" }],
    });
    expect(drop(parameters, { kind: "right", a: null, b: 1 }).value).toEqual({ kind: "right", b: 1 });
  });

  it("is removed without a tag", () => {
    const parameters = {
      type: "object",
      anyOf: ["a", "b"].map((key) => objectOf({ [key]: text }, { required: [key] })),
    };
    expect(drop(parameters, { a: "x", b: null }).value).toEqual({ a: "x" });
    expect(drop(parameters, { a: null, b: "x" }).value).toEqual({ b: "x" });
  });

  it("is reported under the name that the model wrote", () => {
    const parameters = { type: "object", oneOf: [tagged("left", { $a: text }), right] };
    expect(drop(parameters, { kind: "right", _a: null, b: 1 }, "anthropic")).toMatchObject({
      value: { kind: "right", b: 1 },
      repairs: [{ kind: "restored_key" }, { path: "/_a", kind: "dropped_null" }],
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["the root names it too", objectOf({ b: {} }, { oneOf: [left, right] }), { kind: "left", a: "x", b: null }],
    [
      "one of the alternatives accepts null",
      { type: "object", oneOf: [left, tagged("right", { b: { type: ["number", "null"] } })] },
      { kind: "left", a: "x", b: null },
    ],
    ["no alternative names it", { type: "object", oneOf: [left, right] }, { kind: "left", a: "x", c: null }],
    [
      "the arguments are not valid without it",
      { type: "object", oneOf: [left, right] },
      { kind: "left", a: null, b: null },
    ],
  ])("stays if %s", (_, parameters, args) => {
    expect(drop(parameters, args).value).toEqual(args);
  });

  it("stays in the format of MCP, which declares the alternatives as they are", () => {
    const args = { kind: "left", a: "x", b: null };
    expect(drop({ type: "object", oneOf: [left, right] }, args, "mcp").value).toBe(args);
  });
});
