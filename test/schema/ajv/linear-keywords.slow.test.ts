import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCheck } from "../../../src/schema/check.ts";
import { toIssues } from "../../../src/schema/issues.ts";
import type { JsonObject } from "../../../src/index.ts";
import { callWith, errorOf } from "../../core/one-tool.ts";

const small = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>(null, true, false, 0, -0, 1, 1.5, "", "a", "1", "null", "[]", "__proto__"),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "1"), tie("value"), { maxKeys: 2, noNullPrototype: true }),
  ),
})).value;

describe("uniqueItems and enum answer as ajv's do", () => {
  const validator = () => new Ajv2020({ strict: false, ownProperties: true });

  it("for items of every kind", () => {
    const plain = validator().compile({ uniqueItems: true });
    const check = createCheck({ uniqueItems: true });
    fc.assert(fc.property(fc.array(small, { maxLength: 6 }), (items) => check.accepts(items) === plain(items)));
  });

  it("for values of every kind, few and many", () => {
    fc.assert(
      fc.property(fc.array(small, { minLength: 1, maxLength: 6 }), small, fc.boolean(), (values, value, many) => {
        const allowed = many ? [...values, ...Array.from({ length: 60 }, (_, i) => i + 2)] : values;
        return createCheck({ enum: allowed }).accepts(value) === validator().validate({ enum: allowed }, value);
      }),
      { numRuns: 300 },
    );
  });

  it("and say which items are the same, and what is allowed", () => {
    const twice = createCheck({ uniqueItems: true }).findings([{ a: 1, b: 2 }, 3, { b: 2, a: 1 }]);
    expect(toIssues(twice)).toMatchObject([
      { path: "", keyword: "uniqueItems", message: expect.stringContaining("0 and 2") },
    ]);
    const color = createCheck({ enum: ["red", { a: 1 }] }).findings("redd");
    expect(toIssues(color)).toMatchObject([{ keyword: "enum", suggestion: "red", expected: ["red", { a: 1 }] }]);
  });
});

describe("const and enum compare what the values hold, and ask them nothing", () => {
  const own = (key: string, value: unknown) => JSON.parse(`{"${key}":${JSON.stringify(value)}}`) as unknown;
  const keys = ["toString", "valueOf", "constructor", "toJSON", "__proto__", "length", "hasOwnProperty"];

  it.each(keys)("whose own key is %s", async (key) => {
    const [one, other] = [own(key, { n: 1 }), own(key, { n: 2 })];
    const schemas: JsonObject[] = [{ const: one }, { enum: [one] }, { enum: [{ a: [one] }, "x", one] }];
    for (const schema of schemas) {
      const check = createCheck(schema);
      for (const value of [other, {}, [], [one], 1, null, own("a", 1)]) {
        expect(check.accepts(value), JSON.stringify(value)).toBe(false);
        expect(toIssues(check.findings(value))).toMatchObject([{ keyword: "const" in schema ? "const" : "enum" }]);
      }
      expect(check.accepts(own(key, { n: 1 }))).toBe(true);
    }
    const items = createCheck({ uniqueItems: true });
    expect([items.accepts([one, other, {}]), items.accepts([one, other, own(key, { n: 1 })])]).toEqual([true, false]);
    const closed = { type: "object", properties: { a: { const: { b: 1 } } } };
    expect(errorOf(await callWith(closed, { a: one })).code).toBe("invalid_arguments");
    expect((await callWith({ ...closed, properties: { a: { const: one } } }, { a: own(key, { n: 1 }) })).status).toBe(
      "ok",
    );
  });

  it("of any kind, as ajv's do", () => {
    fc.assert(
      fc.property(small, small, (constant, value) => {
        const plain = new Ajv2020({ strict: false, ownProperties: true });
        return createCheck({ const: constant }).accepts(value) === plain.validate({ const: constant }, value);
      }),
      { numRuns: 100 },
    );
  });

  it("and say what was asked for", () => {
    expect(toIssues(createCheck({ const: { a: [1] } }).findings({ a: [] }))).toMatchObject([
      { path: "", keyword: "const", expected: { a: [1] } },
    ]);
  });
});

describe("they take time in proportion", () => {
  const cpuMs = (work: () => unknown): number => {
    const start = process.cpuUsage().user;
    work();
    return (process.cpuUsage().user - start) / 1000;
  };

  it("to 8,000 objects (1.4 s before)", () => {
    const items = Array.from({ length: 8000 }, (_, i) => ({ id: i, tags: [`t${i}`] }));
    const check = createCheck({ uniqueItems: true, maxItems: 100_000 });
    expect(cpuMs(() => check.accepts(items))).toBeLessThan(300);
    expect(cpuMs(() => check.accepts([...items, { tags: ["t7"], id: 7 }]))).toBeLessThan(300);
    expect(check.accepts([...items, { tags: ["t7"], id: 7 }])).toBe(false);
  });

  it("to 20,000 values of an enum, and 20,000 items that are looked up in it", () => {
    const values = Array.from({ length: 20_000 }, (_, i) => `value ${i}`);
    const objects = values.map((name) => ({ name }));
    expect(cpuMs(() => createCheck({ items: { enum: values } }).accepts(values))).toBeLessThan(400);
    expect(cpuMs(() => createCheck({ items: { enum: objects } }).accepts(objects))).toBeLessThan(400);
  });
});
