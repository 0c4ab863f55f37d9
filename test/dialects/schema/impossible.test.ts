import { describe, expect, it } from "vitest";
import { projectSchema } from "../profiles.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { checkTools } from "../../providers/rules/check-tools.ts";

const rewritten: readonly string[] = ["openai-strict", "anthropic-strict", "gemini", "gemini-openapi", "ollama"];
const every: readonly string[] = [...rewritten, "openai", "anthropic", "mcp"];

const nothings: readonly JsonObject[] = [
  { not: {} },
  { type: "string", const: 1 },
  { type: "integer", enum: [1.5] },
  { allOf: [{ type: "string" }, { type: "number" }] },
  { anyOf: [{ type: "string", const: 1 }] },
  { $ref: "#/$defs/nothing" },
];
const $defs = { nothing: { allOf: [{ const: "a" }, { const: "b" }] } };

function project(source: JsonObject, profile: string) {
  const { schema = {}, losses } = projectSchema({ ...source, $defs }, profile);
  expect(losses.filter(({ kind }) => kind === "omitted")).toEqual([]);
  expect(JSON.stringify(schema)).not.toContain("UNDEFINED");
  if (profile === "gemini-openapi") {
    const declared = [{ functionDeclarations: [{ name: "t", description: "T.", parameters: schema }] }];
    expect(checkTools("gemini", declared)).toEqual([]);
  }
  return { schema, properties: schema["properties"] as JsonObject, kinds: new Set(losses.map(({ kind }) => kind)) };
}

describe.each(rewritten)("in the words of %s", (profile) => {
  const a = { type: "string" };

  it.each(nothings)("a property that may not be there is left out: %j", (p) => {
    const open = project({ type: "object", properties: { a, p } }, profile);
    expect(Object.keys(open.properties)).toEqual(["a"]);
    if (!profile.endsWith("-strict")) {
      expect(open.schema["description"]).toBe('No "p".');
      expect(open.kinds).toEqual(new Set(["widened"]));
    }
  });

  it.each(nothings)("an alternative that nothing fits is left out: %j", (nothing) => {
    const source = { type: "object", properties: { p: { anyOf: [a, nothing] } }, required: ["p"] };
    const { properties } = project(source, profile);
    const type = profile === "gemini-openapi" ? "STRING" : "string";
    expect([{ type }, { anyOf: [{ type }] }]).toContainEqual(properties["p"]);
  });
});

describe.each(every)("in the words of %s", (profile) => {
  it.each<JsonObject>([
    { properties: { a: { type: "string" } }, required: ["a", "typo"], additionalProperties: false },
    { properties: { a: { type: "string" }, typo: false }, required: ["a", "typo"] },
    ...nothings.map((typo) => ({ properties: { a: { type: "string" }, typo }, required: ["a", "typo"] })),
  ])("a tool that nothing can be given is listed: %j", (source) => {
    const { schema, kinds, properties } = project({ type: "object", ...source }, profile);
    expect(properties).toHaveProperty("a");
    expect(JSON.stringify(schema["required"])).toContain("typo");
    if (profile === "gemini-openapi") {
      expect(properties["typo"]).toEqual({ type: "STRING", description: "No value is allowed." });
      expect(kinds).toContain("widened");
    }
  });
});
