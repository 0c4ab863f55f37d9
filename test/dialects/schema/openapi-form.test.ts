import { describe, expect, it } from "vitest";
import { projectSchema } from "../profiles.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { checkTools } from "../../providers/rules/check-tools.ts";

function propertyOf(property: JsonObject) {
  const source = { type: "object", properties: { p: property }, required: ["p"] };
  const { schema = {}, losses } = projectSchema(source, "gemini-openapi");
  const declared = [{ functionDeclarations: [{ name: "t", description: "T.", parameters: schema }] }];
  expect(checkTools("gemini", declared)).toEqual([]);
  return { said: (schema["properties"] as JsonObject)["p"], kinds: losses.map(({ kind }) => kind) };
}

describe("Gemini's Schema form", () => {
  const nothing = { type: "STRING", description: "No value is allowed." };

  it.each<JsonObject>([
    { type: "object", const: null },
    { anyOf: [{ type: "object", const: null }] },
    { allOf: [{ type: "string" }, { type: "number" }] },
    { type: "object", required: ["a"], additionalProperties: false },
    { type: "object", required: ["a"], properties: { a: false } },
  ])("has a type where no value fits: %j", (property) => {
    expect(propertyOf(property)).toEqual({ said: nothing, kinds: ["widened"] });
  });

  it.each<[JsonObject, JsonObject, string[]]>([
    [{ type: "string", format: "date" }, { type: "STRING", format: "date" }, []],
    [{ type: "integer", format: "int32" }, { type: "INTEGER", format: "int32" }, []],
    [{ type: "number", format: "float" }, { type: "NUMBER", format: "float" }, []],
    [{ format: "date" }, { type: "STRING", format: "date" }, ["narrowed"]],
    [
      { minimum: 1, format: "date" },
      {
        anyOf: [
          { type: "NUMBER", minimum: 1 },
          { type: "STRING", format: "date" },
        ],
      },
      ["narrowed"],
    ],
    [
      { type: ["integer", "string"], format: "int32" },
      { anyOf: [{ type: "INTEGER", format: "int32" }, { type: "STRING" }] },
      [],
    ],
    [
      { type: ["integer", "string"], format: "date" },
      { anyOf: [{ type: "INTEGER" }, { type: "STRING", format: "date" }] },
      [],
    ],
    [{ type: ["string", "null"], format: "date" }, { type: "STRING", nullable: true, format: "date" }, []],
    [{ type: "integer", format: "date" }, { type: "INTEGER" }, ["annotation"]],
    [{ type: "string", format: "int32" }, { type: "STRING" }, ["annotation"]],
    [{ type: "boolean", format: "date" }, { type: "BOOLEAN" }, ["annotation"]],
    [{ type: "number", format: "int32" }, { type: "NUMBER", description: "Must be in the format int32." }, ["widened"]],
    [
      { type: "integer", format: "double" },
      { type: "INTEGER", description: "Must be in the format double." },
      ["annotation"],
    ],
    [
      { type: "string", format: "made-up" },
      { type: "STRING", description: "Must be in the format made-up." },
      ["annotation"],
    ],
  ])("gives a format to the type that it speaks of: %j", (property, said, kinds) => {
    expect(propertyOf(property)).toEqual({ said, kinds });
  });
});
