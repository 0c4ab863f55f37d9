import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/json/object.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import { profileNames, projectSchema } from "./profiles.ts";

function project(schema: JsonSchema, profile: string) {
  const { schema: said, losses, strict } = projectSchema(schema, profile);
  return {
    said: said ?? {},
    kinds: [...new Set(losses.map(({ kind }) => kind))],
    losses,
    strict: strict !== undefined,
  };
}

/** What becomes of a tool's one property, closed and required, so that nothing else is lost. */
function projectProperty(property: JsonSchema, profile: string, definitions?: JsonObject) {
  const source = {
    type: "object",
    properties: { p: property },
    required: ["p"],
    additionalProperties: false,
    ...(definitions && { $defs: definitions }),
  };
  const { said, losses, strict } = project(source, profile);
  const ofProperty = losses.filter(({ message }) => !message.startsWith('"additionalProperties"'));
  return {
    said: (said["properties"] as JsonObject)["p"],
    root: said,
    strict,
    kinds: ofProperty.map(({ kind }) => kind),
  };
}

const tree = {
  type: "object",
  properties: { v: { type: "string" }, next: { $ref: "#/$defs/tree" } },
  required: ["v"],
  additionalProperties: false,
};

describe("hard cases", () => {
  it("1: recursion stays where it can be followed, and is unrolled where not", () => {
    const source = {
      type: "object",
      properties: { root: { $ref: "#/$defs/tree" } },
      required: ["root"],
      $defs: { tree },
    };
    for (const profile of ["openai", "openai-strict", "anthropic", "gemini"] as const) {
      const { said, kinds } = project(source, profile);
      expect(said["properties"], profile).toEqual({ root: { $ref: "#/$defs/tree" } });
      expect(kinds, profile).not.toContain("widened");
    }
    const strict = project(source, "anthropic-strict");
    expect(strict.strict).toBe(false);
    expect(strict.losses[0]).toMatchObject({ kind: "annotation", message: "Not strict: it refers to itself." });
    for (const profile of ["gemini-openapi", "ollama"] as const) {
      const { said, kinds } = project(source, profile);
      expect(JSON.stringify(said)).not.toContain("$ref");
      expect(JSON.stringify(said).match(/"next"/g)?.length, profile).toBeGreaterThan(2);
      expect(kinds).toContain("widened");
    }
  });

  it("1: recursion by what is required is unrolled for Gemini", () => {
    const list = {
      type: "object",
      properties: { kids: { type: "array", items: { $ref: "#/$defs/list" } } },
      required: ["kids"],
    };
    const { said, kinds } = project(
      { type: "object", properties: { root: { $ref: "#/$defs/list" } }, $defs: { list } },
      "gemini",
    );
    expect(JSON.stringify(said)).not.toContain("$ref");
    expect(kinds).toEqual(["widened"]);
  });

  const tagged = {
    oneOf: ["circle", "square"].map((kind) => ({
      type: "object",
      properties: { kind: { const: kind } },
      required: ["kind"],
      additionalProperties: false,
    })),
  };

  it("2: alternatives with a tag become anyOf and lose nothing", () => {
    const strict = projectProperty(tagged, "openai-strict");
    expect(strict).toMatchObject({ strict: true, kinds: [], said: { anyOf: tagged.oneOf } });
    const { said, kinds } = projectProperty(tagged, "gemini-openapi");
    expect(kinds).toEqual([]);
    expect(said).toMatchObject({
      anyOf: [{ type: "OBJECT", properties: { kind: { type: "STRING", enum: ["circle"] } } }, {}],
    });
  });

  it("2: alternatives that overlap are wider as anyOf", () => {
    const { said, kinds } = projectProperty(
      { oneOf: [{ type: "string" }, { type: "string", minLength: 2 }] },
      "gemini-openapi",
    );
    expect(kinds).toEqual(["widened"]);
    expect(said).toHaveProperty("anyOf");
  });

  it("3: a type or null is nullable in the Schema form", () => {
    const { said, kinds } = projectProperty({ type: ["string", "null"], description: "A word." }, "gemini-openapi");
    expect(said).toEqual({ type: "STRING", nullable: true, description: "A word." });
    expect(kinds).toEqual([]);
  });

  it("4: an enum without null does not become nullable by its type", () => {
    const { said } = projectProperty({ type: ["string", "null"], enum: ["a", "b"] }, "gemini-openapi");
    expect(said).toEqual({ type: "STRING", enum: ["a", "b"] });
  });

  const pair = { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false, minItems: 2 };

  it("5: a tuple stays, or becomes a list of any of its members", () => {
    expect(projectProperty(pair, "openai").said).toMatchObject({ prefixItems: pair.prefixItems });
    expect(projectProperty(pair, "openai-strict").strict).toBe(false);
    expect(projectProperty(pair, "gemini").said).toMatchObject({ prefixItems: pair.prefixItems, maxItems: 2 });
    const { said, kinds } = projectProperty(pair, "gemini-openapi");
    expect(said).toMatchObject({
      items: { anyOf: [{ type: "STRING" }, { type: "INTEGER" }] },
      minItems: 2,
      maxItems: 2,
    });
    expect(kinds).toEqual(["widened"]);
  });

  it("5: a tuple of draft-07 is one of 2020-12", () => {
    const source = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { p: { type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } } },
    };
    expect(project(source, "anthropic").said["properties"]).toEqual({
      p: { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } },
    });
  });

  it("6: a map is never an empty closed object", () => {
    const map = { type: "object", patternProperties: { "^x-": { type: "string" } } };
    for (const profile of ["openai-strict", "anthropic-strict"] as const) {
      expect(projectProperty(map, profile)).toMatchObject({ strict: false, said: map });
      expect(projectProperty({ type: "object", additionalProperties: { type: "string" } }, profile).strict).toBe(false);
      expect(projectProperty({ type: "object" }, profile).strict).toBe(false);
    }
    expect(projectProperty(map, "gemini").said).toMatchObject({
      type: "object",
      description: expect.stringContaining("^x-"),
    });
  });

  it.each([
    [7, { dependentRequired: { a: ["b"] } }, 'If "a" is given, "b" must be given too.'],
    [
      8,
      { if: { required: ["a"] }, then: { required: ["b"] } },
      'If it matches {"required":["a"]}, it must match {"required":["b"]}.',
    ],
    [8, { not: { required: ["a"] } }, 'Must not match {"required":["a"]}.'],
  ])("%i: what has no counterpart is said in words", (_, rule, sentence) => {
    const object = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      additionalProperties: false,
      ...rule,
    };
    expect(projectProperty(object, "anthropic").said).toMatchObject(rule);
    expect(projectProperty(object, "openai-strict").strict).toBe(false);
    for (const profile of ["anthropic-strict", "gemini", "gemini-openapi", "ollama"] as const) {
      const { said, kinds } = projectProperty({ ...object, description: "Of mine." }, profile);
      expect(said, profile).toMatchObject({ description: expect.stringMatching(/^Of mine\. /) });
      expect(said, profile).toMatchObject({ description: expect.stringContaining(sentence) });
      expect(new Set(kinds), profile).toEqual(new Set(["widened"]));
    }
  });

  it("9: an anchor is followed", () => {
    const source = {
      type: "object",
      properties: { p: { $ref: "#word" } },
      $defs: { w: { $anchor: "word", type: "string" } },
    };
    expect(project(source, "ollama").said["properties"]).toEqual({ p: { type: "string" } });
    expect(project(source, "openai").said).toMatchObject({
      properties: { p: { $ref: "#/$defs/w" } },
      $defs: { w: { type: "string" } },
    });
  });

  it("10: a boolean schema is an object", () => {
    for (const profile of ["openai", "anthropic", "gemini", "ollama", "mcp"] as const) {
      expect(projectProperty(true, profile).said, profile).toEqual({});
    }
    expect(projectProperty(true, "openai-strict").strict).toBe(false);
    expect(projectProperty(true, "gemini-openapi").said).toMatchObject({ anyOf: expect.any(Array) });
    expect(project({ type: "object", properties: { p: false } }, "mcp").said["properties"]).toEqual({ p: { not: {} } });
  });

  it.each(profileNames)("11, 12: without properties %s has an object with none", (profile) => {
    const type = profile === "gemini-openapi" ? "OBJECT" : "object";
    for (const source of [{}, { type: "object" }, true]) {
      const { said } = project(source, profile);
      expect(said["type"]).toBe(type);
      expect(said["properties"]).toEqual({});
    }
  });

  it("14: alternatives at the root go into words", () => {
    const source = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    for (const profile of ["openai", "anthropic", "gemini", "gemini-openapi", "ollama"] as const) {
      const { said, kinds } = project(source, profile);
      expect(said).not.toHaveProperty("anyOf");
      expect(Object.keys(said["properties"] as JsonObject)).toEqual(["a", "b"]);
      expect(said["description"]).toBe('At least one of these must be given: "a"; "b".');
      expect(kinds).toContain("widened");
    }
    expect(project(source, "mcp").said).toEqual(source);
  });

  it("15: a default is kept, or told", () => {
    expect(projectProperty({ type: "integer", default: 3 }, "openai").said).toEqual({ type: "integer", default: 3 });
    const { said, kinds } = projectProperty({ type: "integer", default: 3 }, "gemini");
    expect(said).toEqual({ type: "integer", description: "Default: 3." });
    expect(kinds).toEqual(["annotation"]);
  });

  it("16: a bound that excludes its limit is exact for integers, and told for numbers", () => {
    expect(projectProperty({ type: "integer", exclusiveMinimum: 0 }, "gemini-openapi")).toMatchObject({
      said: { type: "INTEGER", minimum: 1 },
      kinds: [],
    });
    const { said, kinds } = projectProperty({ type: "number", exclusiveMinimum: 0 }, "gemini-openapi");
    expect(said).toEqual({ type: "NUMBER", description: "Must be greater than 0." });
    expect(kinds).toEqual(["widened"]);
  });

  it("17: formats that strict schemas do not take are told", () => {
    expect(projectProperty({ type: "string", format: "date-time" }, "openai-strict")).toMatchObject({
      said: { format: "date-time" },
      kinds: [],
    });
    const { said, kinds } = projectProperty({ type: "string", format: "uri-reference" }, "anthropic-strict");
    expect(said).toEqual({ type: "string", description: "Must be in the format uri-reference." });
    expect(kinds).toEqual(["widened"]);
  });

  it("18: an enum over the strict limit", () => {
    const values = Array.from({ length: 1200 }, (_, index) => `value ${index}`);
    const strict = project({ type: "object", properties: { p: { type: "string", enum: values } } }, "openai-strict");
    expect(strict).toMatchObject({ strict: false, kinds: ["annotation"] });
    for (const profile of ["gemini", "gemini-openapi", "ollama"] as const) {
      expect(projectProperty({ type: "string", enum: values }, profile).said).toMatchObject({ enum: values });
    }
  });

  it("19: keys that a provider refuses go by other names", () => {
    const source = {
      type: "object",
      properties: {
        $top: { type: "integer" },
        "filter[id]": { type: "object", properties: { "ä b": { type: "string" } } },
      },
      required: ["$top"],
    };
    const anthropic = project(source, "anthropic");
    expect(Object.keys(anthropic.said["properties"] as JsonObject)).toEqual(["_top", "filter_id_"]);
    expect(anthropic.said["required"]).toEqual(["_top"]);
    expect(anthropic.kinds).toEqual(["renamed"]);
    expect(JSON.stringify(anthropic.said)).toContain('"ä b"');
    expect(anthropic.losses.map(({ path }) => path)).toEqual(["/properties/$top", "/properties/filter[id]"]);
    for (const profile of ["gemini", "gemini-openapi"] as const) {
      const { said } = project(source, profile);
      expect(JSON.stringify(said)).not.toMatch(/"(\$top|ä b|filter\[id\])":/);
      expect(said["required"]).toEqual(["_top"]);
    }
    expect(project(source, "openai").said).toEqual(source);
  });

  it("20: properties are own properties, whatever they are called", () => {
    const source = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__"]}',
    ) as JsonObject;
    for (const profile of profileNames) {
      const properties = project(source, profile).said["properties"] as JsonObject;
      expect(Object.keys(properties), profile).toEqual(["__proto__", "constructor"]);
    }
  });

  it("21: a reference with a description beside it keeps it", () => {
    const definitions = { L: { type: "string", enum: ["en", "fr"], description: "A language." } };
    const property = { $ref: "#/$defs/L", description: "Of the page." };
    for (const profile of ["openai-strict", "gemini", "ollama"] as const) {
      const { said } = projectProperty(property, profile, definitions);
      expect(said, profile).toEqual({ type: "string", enum: ["en", "fr"], description: "Of the page. A language." });
    }
    expect(projectProperty(property, "anthropic", definitions).said).toEqual(property);
  });

  it.each(profileNames)("22, 23: for %s a property called as a keyword is none", (profile) => {
    const names = [
      "properties",
      "type",
      "nullable",
      "required",
      "additionalProperties",
      "enum",
      "const",
      "description",
      "items",
    ];
    const properties = Object.fromEntries(
      names.map((name) => [
        name,
        { type: "object", properties: { type: { type: "string" } }, additionalProperties: false, required: ["type"] },
      ]),
    );
    const { said } = project({ type: "object", properties, required: names, additionalProperties: false }, profile);
    const written = said["properties"] as JsonObject;
    expect(Object.keys(written)).toEqual(names);
    for (const name of names) expect(written[name]).toMatchObject({ properties: { type: {} } });
  });

  it("24: the order of properties is kept", () => {
    const source = {
      type: "object",
      properties: { z: { type: "string" }, a: { type: "string" }, m: { type: "string" } },
    };
    expect(project(source, "gemini-openapi").said["propertyOrdering"]).toEqual(["z", "a", "m"]);
    for (const profile of profileNames)
      expect(Object.keys(project(source, profile).said["properties"] as JsonObject)).toEqual(["z", "a", "m"]);
  });

  it("25: two keys that would get the same name get different ones, in any order", () => {
    const namesOf = (keys: readonly string[]) => {
      const { said } = project(
        { type: "object", properties: Object.fromEntries(keys.map((key) => [key, { description: key }])) },
        "gemini",
      );
      return Object.entries(said["properties"] as JsonObject).map(([wire, schema]) => [
        (schema as JsonObject)["description"],
        wire,
      ]);
    };
    const names = namesOf(["a b", "a-b", "a_b"]);
    expect(new Set(names.map(([, wire]) => wire)).size).toBe(3);
    expect(names.find(([key]) => key === "a_b")?.[1]).toBe("a_b");
    expect(namesOf(["a_b", "a-b", "a b"]).toReversed()).toEqual(names);
  });

  it("26: a type that is named twice is named once", () => {
    expect(projectProperty({ type: ["string", "null", "null"] }, "openai-strict").said).toEqual({
      type: ["string", "null"],
    });
    const optional = { type: "object", properties: { p: { type: ["string", "null"], enum: ["a"] } } };
    expect(project(optional, "openai-strict").said["properties"]).toEqual({
      p: { type: ["string", "null"], enum: ["a", null] },
    });
  });
});
