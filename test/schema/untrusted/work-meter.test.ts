import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { createWorkMeter, useWorkMeter, writeWork } from "../../../src/schema/untrusted/work-meter.ts";

function createAjv(): Ajv {
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
  useWorkMeter(ajv, createWorkMeter());
  return ajv;
}

describe("a schema that nobody gave its work to", () => {
  it.each([
    { items: { minLength: 1 } },
    { $ref: "#/x", x: { anyOf: [{ type: "string" }] } },
    { properties: { a: { "toolhost:work": { steps: 0, scans: false, refers: false }, minimum: 1 } } },
  ])("is not compiled: %j", (schema) => {
    writeWork([schema]);
    expect(() => createAjv().compile(schema)).toThrow(/cannot be followed/);
  });

  it("is compiled where it asks nothing", () => {
    const schema = { properties: { a: {}, b: { type: "string" } } };
    writeWork([schema, schema.properties.b]);
    expect(createAjv().compile(schema)({ b: 1 })).toBe(false);
  });
});
