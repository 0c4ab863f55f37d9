import { describe, expect, it } from "vitest";
import { projectSchema } from "../dialects/profiles.ts";
import { placeSchema } from "../../src/http/routes/openapi/schema.ts";
import { type JsonObject, omit, ownMember } from "../../src/json/object.ts";
import { createCheck } from "../../src/schema/check.ts";
import { modernise } from "../../src/schema/modern.ts";

const draft7 = "http://json-schema.org/draft-07/schema#";
const draft2019 = "https://json-schema.org/draft/2019-09/schema";

const rows: readonly [string, JsonObject, JsonObject][] = [
  ["a nullable type", { type: "string", nullable: true }, { type: ["string", "null"] }],
  ["nullable numbers", { type: ["integer", "number"], nullable: true }, { type: ["number", "null"] }],
  ["nullable numbers, listed", { type: ["number", "integer", "null"] }, { type: ["number", "null"] }],
  ["a type in a list", { type: ["string"] }, { type: "string" }],
  [
    "a tuple",
    { $schema: draft7, items: [{ const: 1 }], additionalItems: false },
    { prefixItems: [{ const: 1 }], items: { not: {} } },
  ],
  [
    "additionalItems without a tuple",
    { $schema: draft7, items: { const: 1 }, additionalItems: false },
    { items: { const: 1 } },
  ],
  [
    "dependencies",
    { $schema: draft7, dependencies: { a: ["b"], c: { required: ["d"] }, e: false } },
    { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] }, e: { not: {} } } },
  ],
  [
    "dependencies beside what they became",
    {
      dependencies: { a: ["b"], c: {} },
      dependentRequired: { a: ["x"], d: ["e"] },
      dependentSchemas: { c: { not: {} } },
    },
    { dependentRequired: { a: ["b", "x"], d: ["e"] }, dependentSchemas: { c: { allOf: [{}, { not: {} }] } } },
  ],
  ["an exclusive limit of draft-04", { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
  ["an inclusive limit of draft-04", { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
  [
    "keywords that its draft does not have",
    { $schema: draft7, dependentRequired: { a: ["b"] }, prefixItems: [{}], unevaluatedItems: false, minContains: 2 },
    {},
  ],
  ["keywords that 2019-09 does not have", { $schema: draft2019, prefixItems: [{ const: 1 }] }, {}],
  ["a dynamic reference of a draft that has none", { $schema: draft7, $recursiveRef: "#", $dynamicRef: "#a" }, {}],
  ["names, comments and definitions", { $id: "https://a.example/b", $comment: "c", $defs: { d: { const: 1 } } }, {}],
  ["a branch without its condition", { then: { const: 1 }, else: { const: 2 } }, {}],
];

describe("a schema in 2020-12", () => {
  it.each(rows)("has %s in one form, which accepts the same", (_about, source, modern) => {
    const { root, unresolved } = modernise(source);
    expect(root).toEqual(modern);
    expect(unresolved).toEqual([]);
    const [own, said] = [createCheck(source), createCheck(modern)];
    const values = [1, 2, 0.5, "x", null, [], [1], [2], [1, 2], {}, { a: 1 }, { a: 1, b: 1 }, { c: 1, d: 1 }, { e: 1 }];
    for (const value of [...values, { a: 1, b: 1, x: 1 }, { c: 1 }, { d: 1 }]) {
      expect([value, said.accepts(value)]).toEqual([value, own.accepts(value)]);
    }
  });

  it.each(rows)("has %s in the same form in /openapi.json and the mcp format", (_about, source, modern) => {
    const object = { ...source, type: "object", properties: { p: withoutDraft(source) } };
    const placed = placeSchema("T", object)["T"] as JsonObject;
    const { schema } = projectSchema(object, "mcp");
    expect((placed["properties"] as JsonObject)["p"]).toEqual(modern);
    // What is 2020-12 already is declared as it is.
    const isRewritten = ["$schema", "nullable", "dependencies"].some((keyword) => keyword in source);
    if (isRewritten) expect(ownMember(schema?.["properties"], "p")).toEqual(modern);
    expect(schema).not.toHaveProperty("properties.p.nullable");
    expect(schema).not.toHaveProperty("properties.p.dependencies");
  });

  it("keeps the siblings of a reference in draft-07, as the check does", () => {
    const source = {
      $schema: draft7,
      properties: { p: { $ref: "#/definitions/d", maxLength: 1 } },
      definitions: { d: { type: "string" } },
    };
    expect(modernise(source).root).toEqual({ properties: { p: { $ref: "d", maxLength: 1 } } });
    expect(createCheck(source).accepts({ p: "xx" })).toBe(false);
  });

  it("has one name for each schema that is referred to, however it is written", () => {
    const { root, definitions } = modernise({
      properties: {
        a: { $ref: "#/$defs/x%20y" },
        b: { $ref: "#/$defs/x y" },
        c: { $ref: "#here" },
        d: { $ref: "#/$defs/x_y" },
        e: { $ref: "#" },
      },
      $defs: { "x y": { $anchor: "here", const: 1 }, x_y: { const: 2 } },
    });
    expect(root["properties"]).toEqual({
      a: { $ref: "x_y" },
      b: { $ref: "x_y" },
      c: { $ref: "x_y" },
      d: { $ref: "x_y_2" },
      e: { $ref: "root" },
    });
    expect([...definitions.keys()]).toEqual(["x_y", "x_y_2", "root"]);
  });

  it.each<[string, JsonObject]>([
    ["a dynamic anchor at the root", { $dynamicAnchor: "n", properties: { p: { $dynamicRef: "#n" } } }],
    ["a recursive anchor", { $schema: draft2019, $recursiveAnchor: true, properties: { p: { $recursiveRef: "#" } } }],
    ["no recursive anchor", { $schema: draft2019, properties: { p: { $recursiveRef: "#" } } }],
  ])("follows a dynamic reference to the root with %s", (_about, source) => {
    const schema = { ...source, type: "object" };
    const { schema: declared = {}, losses } = projectSchema(schema, "openai");
    expect(losses).toEqual([]);
    for (const value of [{ p: { p: {} } }, { p: { p: 1 } }, { p: 1 }]) {
      expect(createCheck(declared).accepts(value)).toBe(createCheck(schema).accepts(value));
    }
  });

  it.each<[string, JsonObject]>([
    [
      "whose target is not the root",
      { properties: { p: { $dynamicRef: "#n" } }, $defs: { a: { $dynamicAnchor: "n" } } },
    ],
    ["beside schemas with an $id", { $dynamicAnchor: "n", properties: { p: { $dynamicRef: "#n" }, q: { $id: "q" } } }],
  ])("declares any value for a dynamic reference %s, and says so", (_about, source) => {
    const { schema, losses } = projectSchema({ ...source, type: "object" }, "openai");
    expect(schema).toMatchObject({ properties: { p: {} } });
    expect(losses).toMatchObject([{ path: "/properties/p", kind: "widened" }]);
    expect(placeSchema("T", source)["T"]).toMatchObject({
      description: expect.stringContaining("cannot contain the tool's schema") as string,
    });
  });
});

function withoutDraft(source: JsonObject): JsonObject {
  return omit(source, "$schema");
}
