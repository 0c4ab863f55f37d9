import { describe, expect, it } from "vitest";
import { profileNames, projectSchema } from "../profiles.ts";
import type { JsonObject } from "../../../src/json/object.ts";

function project(source: JsonObject, profile: string) {
  const start = performance.now();
  const { schema, losses, strict } = projectSchema(source, profile);
  return { schema, losses, strict, took: performance.now() - start };
}

/** Definitions of which each refers to the next twice. */
function pairs(keyword: "anyOf" | "allOf" | "oneOf", beside: JsonObject = {}): JsonObject {
  const $defs: JsonObject = { D40: { type: "object", properties: { x: { type: "string" } } } };
  for (let at = 0; at < 40; at++) {
    const next = { $ref: `#/$defs/D${at + 1}` };
    $defs[`D${at}`] = { [keyword]: [next, { ...next, ...beside }] };
  }
  return $defs;
}

function flat(count: number, property: JsonObject): JsonObject {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, property]));
  return { type: "object", properties };
}

describe.each(profileNames)("in the words of %s", (profile) => {
  it.each(["anyOf", "allOf", "oneOf"] as const)("%s that fans out over 40 levels ends soon", (keyword) => {
    for (const beside of [{}, { description: "Again." }]) {
      const $defs = pairs(keyword, beside);
      const start = { $ref: "#/$defs/D0" };
      const sources = [
        { ...start, $defs },
        { type: "object", [keyword]: [start, start], $defs },
        { type: "object", properties: { a: start }, $defs },
      ];
      for (const source of sources) {
        const { schema, took } = project(source, profile);
        expect(schema).toBeDefined();
        expect(took).toBeLessThan(1500);
      }
    }
  });

  it("a root among its own alternatives is listed", () => {
    const source = { type: "object", properties: { a: {} }, anyOf: [{ $ref: "#" }, { required: ["a"] }] };
    expect(project(source, profile).schema).toMatchObject({ properties: { a: {} } });
  });

  it("products of alternatives are said in words where they grow too large", () => {
    const choice = (at: number) => ({
      anyOf: ["x", "y", "z"].map((word) => ({
        properties: { [`${word}${at}`]: { type: "string" } },
        required: [`${word}${at}`],
      })),
    });
    const product = { type: "object", allOf: Array.from({ length: 12 }, (_, at) => choice(at)) };
    const { schema, took } = project({ type: "object", properties: { p: product } }, profile);
    expect(JSON.stringify(schema)).toContain("x0");
    expect(JSON.stringify(schema)).toContain("x11");
    expect(took).toBeLessThan(1500);
  });

  it("a schema of many properties, or of much text, is listed", () => {
    for (const source of [
      flat(6000, { type: "string" }),
      flat(100, { type: "string", description: "Long. ".repeat(1000) }),
    ]) {
      const { schema, took } = project(source, profile);
      expect(Object.keys((schema?.["properties"] ?? {}) as JsonObject)).toEqual(
        Object.keys(source["properties"] ?? {}),
      );
      expect(took).toBeLessThan(1500);
    }
  });

  it("an allOf of many references keeps the properties of all", () => {
    const names = Array.from({ length: 40 }, (_, at) => `D${at}`);
    const all = { allOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) };
    const inner = { type: "object", properties: { deep: { $ref: "#/$defs/deep" } } };
    const $defs = {
      ...Object.fromEntries(
        names.map((name) => [name, { type: "object", properties: { [name]: { $ref: "#/$defs/inner" } } }]),
      ),
      inner,
      deep: { type: "string", description: "Lies below." },
    };
    for (const source of [
      { ...all, $defs },
      { type: "object", properties: { p: all }, $defs },
    ]) {
      const { schema, losses } = project(source, profile);
      for (const name of names) expect(JSON.stringify(schema)).toContain(`"${name}"`);
      expect(JSON.stringify(schema)).toContain("Lies below.");
      expect(losses.filter(({ message }) => message.includes("levels are not described"))).toEqual([]);
    }
  });

  it("a large object that is merged over and over ends soon", () => {
    const $defs: JsonObject = { D30: flat(2000, { type: "string" }) };
    for (let at = 0; at < 30; at++) {
      const next = { $ref: `#/$defs/D${at + 1}` };
      $defs[`D${at}`] = { allOf: [next, { ...next, description: "Again." }] };
    }
    const { schema, took } = project({ $ref: "#/$defs/D0", $defs }, profile);
    expect(schema).toBeDefined();
    expect(took).toBeLessThan(2500);
  });

  it("many references to what is large are listed, each", () => {
    const $defs = { D: flat(50, { type: "string" }) };
    const { schema } = project({ ...flat(5000, { $ref: "#/$defs/D" }), $defs }, profile);
    expect(Object.keys((schema?.["properties"] ?? {}) as JsonObject)).toHaveLength(5000);
  });

  it("what is too large to be written out is cut, never left out", () => {
    const $defs: JsonObject = {};
    for (let at = 0; at < 12; at++) {
      const next = at < 11 ? { $ref: `#/$defs/D${at + 1}` } : { type: "string" };
      $defs[`D${at}`] = flat(4, { ...next });
    }
    const { schema, took } = project({ type: "object", properties: { a: { $ref: "#/$defs/D0" } }, $defs }, profile);
    expect(JSON.stringify(schema)).toContain('"p3"');
    expect(took).toBeLessThan(1500);
  });
});

it("what is too large to be strict is listed as it were without", () => {
  const $defs = pairs("allOf", { description: "Again." });
  const source = { $ref: "#/$defs/D0", $defs };
  for (const profile of ["openai", "anthropic"] as const) {
    const strict = project(source, `${profile}-strict`);
    const plain = project(source, profile);
    expect(strict.schema).toEqual(plain.schema);
    expect(strict.losses[0]).toMatchObject({ kind: "annotation", message: expect.stringMatching(/^Not strict: /) });
  }
});

it("a filter of four operators that hold filters stays short", () => {
  const list = { type: "array", items: { $ref: "#/$defs/filter" } };
  const filter = {
    type: "object",
    description: "Which rows, by a field's value or by other filters.",
    properties: {
      and: list,
      or: list,
      not: { $ref: "#/$defs/filter" },
      xor: list,
      field: { type: "string", description: "The column to compare." },
      ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field_${at}`, { type: "string" }])),
    },
  };
  const source = { type: "object", properties: { filter: { $ref: "#/$defs/filter" } }, $defs: { filter } };
  const { schema } = project(source, "gemini-openapi");
  expect(JSON.stringify(schema).length).toBeLessThan(12_000);
});
