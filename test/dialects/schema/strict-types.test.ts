import { describe, expect, it } from "vitest";
import { projectSchema } from "../profiles.ts";
import type { JsonObject } from "../../../src/json/object.ts";

function projectProperty(property: JsonObject, profile: string, required: readonly string[] = ["p"]) {
  const source = { type: "object", properties: { p: property }, required, additionalProperties: false };
  const { schema = {}, losses, strict } = projectSchema(source, profile);
  return {
    said: (schema["properties"] as JsonObject)["p"],
    kinds: losses.map(({ kind }) => kind),
    strict: strict !== undefined,
  };
}

describe("a strict schema", () => {
  it.each<[string, JsonObject]>([
    ["anyOf", { required: ["a"], anyOf: [{ type: "string" }] }],
    ["allOf", { minItems: 2, allOf: [{ type: "string" }, { properties: { a: {} } }] }],
    ["a list of types", { type: ["string"], additionalProperties: false, items: { type: "string" } }],
    ["values", { enum: ["x"], properties: { a: { type: "string" } }, minimum: 1 }],
  ])("says nothing of types that it has not, as its provider refuses that: %s", (_sentence, items) => {
    for (const profile of ["openai-strict", "anthropic-strict", "gemini-openapi"] as const) {
      const { said } = projectProperty({ type: "array", items }, profile);
      expect(Object.keys((said as JsonObject)["items"] as JsonObject)).toEqual(
        expect.not.arrayContaining(["required", "properties", "items", "minItems", "minimum", "additionalProperties"]),
      );
    }
  });

  it.each<JsonObject>([
    { type: ["string", "null"], enum: ["x", "y"] },
    { type: "string", nullable: true, enum: ["x", "y"] },
    { type: "string", enum: ["x", "y"] },
  ])("names null once where it stands for what is left out: %j", (property) => {
    expect(projectProperty(property, "openai-strict", []).said).toEqual({
      type: ["string", "null"],
      enum: ["x", "y", null],
    });
  });

  it.each([
    [1, { minItems: 1 }, []],
    [2, { description: "At least 2 items." }, ["widened"]],
  ])("of Anthropic's takes a minItems of 0 and 1 alone: %i", (minItems, said, kinds) => {
    const list = { type: "array", items: { type: "string" } };
    expect(projectProperty({ ...list, minItems }, "anthropic-strict")).toEqual({
      said: { ...list, ...said },
      kinds,
      strict: true,
    });
  });

  it.each<[JsonObject, unknown]>([
    [{ const: "circle" }, "string"],
    [{ const: null }, "null"],
    [{ enum: ["p", "q"] }, "string"],
    [{ enum: ["p", 1] }, ["string", "number"]],
  ])("of OpenAI's has the type of its values: %j", (property, type) => {
    expect(projectProperty(property, "openai-strict")).toEqual({
      said: { ...property, type },
      kinds: [],
      strict: true,
    });
  });
});
