import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../../src/json/object.ts";
import { createCheck } from "../../../src/schema/check.ts";
import { declareTools } from "../../../src/dialects/declarations.ts";
import type { DeclarationOptions } from "../../../src/dialects/dialect.ts";
import { dialects } from "../../../src/dialects/dialects.ts";
import { projectSchema } from "../profiles.ts";
import { checkTools } from "../../providers/rules/check-tools.ts";
import { runs } from "../../runs.ts";

const forms = {
  openai: ["openai", { strict: false, schema: "json" }],
  "openai strict": ["openai", { strict: true, schema: "json" }],
  "openai-responses": ["openai-responses", { strict: false, schema: "json" }],
  "openai-responses strict": ["openai-responses", { strict: true, schema: "json" }],
  "anthropic strict": ["anthropic", { strict: true, schema: "json" }],
  "gemini openapi": ["gemini", { strict: false, schema: "openapi" }],
} as const satisfies Record<string, readonly [keyof typeof dialects, DeclarationOptions]>;

type Form = keyof typeof forms;
const allForms = Object.keys(forms) as Form[];

function declare(form: Form, parameters: JsonObject) {
  const [name, options] = forms[form];
  const tool = { name: "look", description: "Looks.", parameters };
  const { tools, warnings } = declareTools(dialects[name], [tool], options);
  expect(checkTools(name, tools)).toEqual([]);
  return { text: JSON.stringify(tools), warnings };
}

const withPattern = (pattern: string) => ({
  type: "object",
  properties: { value: { type: "string", pattern } },
  required: ["value"],
  additionalProperties: false,
});

// zod wrote this until 4.6: vercel/ai#21037.
const zodEmail = /^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

describe("what a provider cannot compile", () => {
  it.each(allForms)("is said in words and warned of, and strict stays: %s", (form) => {
    const { text, warnings } = declare(form, withPattern("^(?!\\.)[^@]+@.+$"));
    expect(text).not.toContain('"pattern"');
    expect(text).toContain(JSON.stringify("Must match ^(?!\\.)[^@]+@.+$.").slice(1, -1));
    expect(warnings.filter(({ path }) => path !== "")).toEqual([
      {
        tool: "look",
        path: "/properties/value",
        kind: "widened",
        message: '"pattern" is mentioned in the description only, because the provider cannot compile it.',
      },
    ]);
    if (form.endsWith("strict")) expect(text).toContain('"strict":true');
  });

  it("stays where it is text for the model, and where clients read ECMA-262", () => {
    for (const profile of ["anthropic", "mcp"] as const) {
      expect(projectSchema(withPattern("^(?!a)b"), profile)).toMatchObject({
        schema: withPattern("^(?!a)b"),
        losses: [],
      });
    }
  });

  it.each([
    ["an email of zod before 4.6", z.email({ pattern: zodEmail })],
    ["an emoji", z.emoji()],
    ["a duration", z.iso.duration()],
  ])("is what libraries write: %s", (_sentence, schema) => {
    const parameters = z.toJSONSchema(z.object({ value: schema })) as JsonObject;
    for (const form of allForms) {
      const { text, warnings } = declare(form, parameters);
      expect(text).not.toContain('"pattern"');
      expect(warnings.some(({ kind, path }) => kind === "widened" && path === "/properties/value")).toBe(true);
    }
  });

  it("leaves keys open that it spoke of", () => {
    const { schema, losses } = projectSchema(
      {
        type: "object",
        patternProperties: { "^\\p{L}+$": { type: "string" }, "^n_": { type: "number" } },
        additionalProperties: false,
      },
      "openai",
    );
    expect(schema).toEqual({
      type: "object",
      properties: {},
      patternProperties: { "^n_": { type: "number" } },
      additionalProperties: true,
      description: 'Properties whose name matches ^\\p{L}+$ must match {"type":"string"}. No other properties.',
    });
    expect(losses.map(({ kind }) => kind)).toEqual(["widened", "widened"]);
  });
});

/** Schemas that some pattern of is left out, also where one that takes more makes another take less. */
const subschemas = fc.letrec<{ schema: JsonObject; object: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ pattern: fc.constantFrom("^(?!a)", "^\\p{L}$", "^a", "b$") }),
    fc.constantFrom({ $ref: "#/$defs/lost" }, { type: "string" }, { const: "ab" }, {}),
    fc.record({ not: tie("schema") }),
    fc
      .tuple(tie("schema"), tie("schema"), tie("schema"))
      .map(([condition, met, unmet]) => ({ if: condition, else: unmet, ...thenOf(met) })),
    fc.tuple(tie("schema"), tie("schema")).map(([condition, unmet]) => ({ if: condition, else: unmet })),
    fc.record(
      { oneOf: fc.tuple(tie("schema"), tie("schema")), anyOf: fc.tuple(tie("schema")) },
      { requiredKeys: ["oneOf"] },
    ),
    fc.record({ allOf: fc.tuple(tie("schema"), tie("schema")) }),
    fc.record(
      { type: fc.constant("array"), contains: tie("schema"), maxContains: fc.constant(1) },
      { requiredKeys: ["contains"] },
    ),
    tie("object"),
  ),
  object: fc.record(
    {
      properties: fc.record({ a: tie("schema") }, { requiredKeys: [] }),
      patternProperties: fc.dictionary(fc.constantFrom("^(?!b)", "^a", "^\\p{L}"), tie("schema"), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      additionalProperties: fc.oneof(fc.constant(false), tie("schema")),
      propertyNames: tie("schema"),
    },
    { requiredKeys: ["patternProperties"] },
  ),
}));

/** Of properties alone: ajv counts what was evaluated in an `if` that failed. */
const schemas = fc.oneof(
  subschemas.schema,
  fc.record({ allOf: fc.tuple(subschemas.object), unevaluatedProperties: fc.constant(false) }),
);

const values = fc.oneof(
  fc.constantFrom("a", "b", "ab", "é", 1, null),
  fc.array(fc.constantFrom("a", "b", "é"), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "b", "é"), fc.constantFrom("a", "b", 1), { noNullPrototype: true }),
);

describe("a declaration without some patterns", () => {
  it("takes whatever the tool takes, wherever they stood", () => {
    const property = fc.property(schemas, fc.array(values, { minLength: 6, maxLength: 6 }), (schema, samples) => {
      const parameters: JsonObject = {
        type: "object",
        properties: { value: schema },
        $defs: { lost: { pattern: "(?=a)b" } },
      };
      const declared = projectSchema(parameters, "openai").schema ?? false;
      const [own, told] = [createCheck(parameters), createCheck(declared)];
      for (const value of samples) if (own.accepts({ value })) expect(told.accepts({ value })).toBe(true);
      declare("openai", parameters);
    });
    fc.assert(property, { numRuns: runs(1500, 30) });
  });
});

function thenOf(schema: unknown): JsonObject {
  return JSON.parse(`{"then":${JSON.stringify(schema)}}`) as JsonObject;
}
