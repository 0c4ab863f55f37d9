import { describe, expect, it } from "vitest";
import type { Loss } from "../../../src/dialects/schema/losses.ts";
import { projectSchema } from "../profiles.ts";
import type { JsonObject } from "../../../src/json/object.ts";

describe("the root that Ollama reads", () => {
  const rows: readonly [JsonObject, Loss["kind"] | undefined][] = [
    [{ const: null }, "widened"],
    [{ const: {} }, "widened"],
    [{ enum: [{}, { a: 1 }] }, "widened"],
    [{ minProperties: 1 }, "widened"],
    [{ additionalProperties: { type: "string" } }, "widened"],
    [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, "widened"],
    [{ allOf: [{ enum: [{}] }] }, "widened"],
    [{ default: {} }, "annotation"],
    [{ title: "T" }, "annotation"],
    [{ required: ["a"] }, undefined],
    [{ items: { type: "string" } }, undefined],
  ];

  it.each(rows)("holds no other field for %j", (words, kind) => {
    const { schema = {}, losses } = projectSchema({ type: "object", properties: { a: {} }, ...words }, "ollama");
    const { description: _, ...fields } = schema;
    for (const field of Object.keys(fields))
      expect(["type", "$defs", "items", "required", "properties"]).toContain(field);
    expect(losses.map((loss) => loss.kind)).toEqual(kind === undefined ? [] : [kind]);
  });
});

describe("an array that does not say what it holds", () => {
  it("is wider for OpenAI where its items are no longer unevaluated", () => {
    const list = { type: "array", prefixItems: [{ type: "string" }], unevaluatedItems: false };
    const { schema, losses } = projectSchema({ type: "object", properties: { list } }, "openai");
    expect(schema).toMatchObject({ properties: { list: { items: {} } } });
    expect(losses).toMatchObject([{ path: "/properties/list", kind: "widened" }]);
  });
});
