import { describe, expect, it } from "vitest";
import { describeKeyword } from "../../../src/dialects/schema/write/describe.ts";
import { projectSchema } from "../profiles.ts";
import type { JsonObject } from "../../../src/json/object.ts";

function project(source: JsonObject, profile: string) {
  const { schema = {}, losses } = projectSchema({ type: "object", ...source }, profile);
  const properties = schema["properties"] as Record<string, JsonObject>;
  return { schema, properties, kinds: losses.map(({ kind }) => kind) };
}

const word = { type: "string" };

describe("descriptions", () => {
  it.each<[JsonObject, string]>([
    [{ dependentRequired: { $top: ["$skip"] } }, 'If "_top" is given, "_skip" must be given too.'],
    [
      { anyOf: [{ required: ["$top"] }, { required: ["$skip"] }] },
      'At least one of these must be given: "_top"; "_skip".',
    ],
    [{ not: { required: ["$top", "$skip"] } }, 'Must not match {"required":["_top","_skip"]}.'],
    [{ not: { properties: { $top: { const: 1 } } } }, 'Must not match {"properties":{"_top":{"const":1}}}.'],
  ])("name keys as the model sees them: %j", (rule, sentence) => {
    for (const profile of ["anthropic", "gemini", "gemini-openapi"] as const) {
      if (profile === "anthropic" && "dependentRequired" in rule) continue;
      const { schema } = project({ properties: { $top: word, $skip: word }, ...rule }, profile);
      expect(schema["description"], profile).toBe(sentence);
    }
  });

  it("name a forbidden key as the model would", () => {
    const { schema } = project({ properties: { a: word, $top: false } }, "gemini");
    expect(schema["description"]).toBe('No "_top".');
  });

  it.each(["anthropic", "anthropic-strict", "gemini", "gemini-openapi"] as const)(
    "say the own name of a key that %s renames, which errors tell",
    (profile) => {
      const source = {
        properties: { $top: { ...word, description: "How many." }, $skip: { $ref: "#/$defs/S" } },
        $defs: { S: { ...word, description: "Where from." } },
      };
      const { properties } = project(source, profile);
      expect(properties["_top"]).toMatchObject({ description: 'How many. Its original name is "$top".' });
      expect(properties["_skip"]).toMatchObject({
        description: expect.stringContaining('Its original name is "$skip".'),
      });
    },
  );

  it("hold no internal references: what they lead to stands there, one level deep", () => {
    const source = {
      properties: { p: { not: { $ref: "#/$defs/Zed" } } },
      $defs: {
        Zed: { type: "object", properties: { z: { $ref: "#/$defs/Zed" } }, required: ["z"] },
      },
    };
    for (const profile of ["gemini", "ollama"] as const) {
      expect(project(source, profile).properties["p"]).toEqual({
        description: 'Must not match {"type":"object","properties":{"z":{}},"required":["z"]}.',
      });
    }
  });

  it("count one thing as one, and end a long list at a value", () => {
    expect(describeKeyword("minLength", 1, {})).toBe("At least 1 character.");
    expect(describeKeyword("maxItems", 1, {})).toBe("At most 1 item.");
    expect(describeKeyword("minProperties", 1, {})).toBe("At least 1 property.");
    expect(describeKeyword("minProperties", 2, {})).toBe("At least 2 properties.");
    const values = Array.from({ length: 1000 }, (_, at) => `value ${at}`);
    expect(describeKeyword("enum", values, {})).toMatch(/^Must be one of "value 0", .*, "value \d+", …\.$/);
    expect(describeKeyword("enum", ["a"], {})).toBe('Must be one of "a".');
  });
});

describe("a format", () => {
  it.each<[JsonObject, string]>([
    [{ ...word, format: "made-up" }, "annotation"],
    [{ type: "number", format: "double" }, "annotation"],
    [{ type: "boolean", format: "date" }, "annotation"],
    [{ type: "number", format: "int32" }, "widened"],
    [{ ...word, format: "uri" }, "widened"],
  ])("is missed only where somebody checks it: %j", (p, kind) => {
    const kinds = project({ properties: { p } }, "ollama").kinds;
    expect(kinds).toEqual([kind]);
  });
});

it("an object of MCP's has properties, as some clients want", () => {
  expect(project({}, "mcp").schema).toEqual({ type: "object", properties: {} });
});
