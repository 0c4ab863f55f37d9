import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { untrustedBounds } from "../../../src/schema/untrusted/bounds.ts";
import { toIssues } from "../../../src/schema/issues.ts";
import { type Check, createCheck } from "../../../src/schema/check.ts";
import { createRegistry, type JsonObject, type JsonSchema } from "../../../src/index.ts";
import { toolOf } from "../../core/one-tool.ts";
import { bombs } from "./schema-bombs.ts";

const foreign = (schema: JsonSchema): Check => createCheck(schema, { trusted: false });
const refused = (schema: JsonSchema): string => {
  try {
    foreign(schema);
    return "not refused";
  } catch (error) {
    return (error as Error).message;
  }
};
const members = (count: number, make: (index: number) => unknown): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, make(i)]));
const nested = (depth: number): JsonSchema => (depth === 0 ? {} : { properties: { a: nested(depth - 1) } });

describe("a schema that is not trusted keeps to bounds", () => {
  it.each<[string, JsonSchema, RegExp]>([
    ["bytes", { description: "é".repeat(untrustedBounds.bytes / 2) }, /over 131072 bytes/],
    ["levels", nested(untrustedBounds.depth + 1), /over 32 levels/],
    ["levels of JSON", { const: JSON.parse("[".repeat(5000) + "]".repeat(5000)) as unknown }, /schemas?/],
    ["schemas", { $defs: members(untrustedBounds.subschemas, () => ({})) }, /over 1100 schemas/],
    [
      "keywords",
      { $defs: members(400, () => ({ type: "string", minLength: 1, maxLength: 2, format: "date" })) },
      /keywords/,
    ],
    ["branches", { anyOf: Array.from({ length: 251 }, () => ({})) }, /over 250 branches/],
    [
      "values of an enum",
      { items: { enum: Array.from({ length: 2001 }, (_, i) => i) } },
      /2000 values at \/items\/enum/,
    ],
    ["properties", { properties: members(501, () => true) }, /500 properties at \/properties/],
    ["names", { required: Object.keys(members(501, () => 1)) }, /500 names at \/required/],
    ["dependent names", { dependentRequired: { a: Object.keys(members(501, () => 1)) } }, /500 names/],
    ["characters in a pattern", { pattern: "a".repeat(1001) }, /1000 characters at \/pattern/],
    ["patterns", { patternProperties: members(101, () => true) }, /over 100 patterns/],
    ["Unicode properties", { pattern: "\\p{L}".repeat(51) }, /unicode properties/i],
    [
      "references in a chain",
      { $ref: "#/$defs/k0", $defs: members(40, (i) => (i === 39 ? {} : { $ref: `#/$defs/k${i + 1}` })) },
      /over 32 levels/,
    ],
    ["schemas behind references", { $ref: "#/x", x: { $defs: members(1100, () => ({})) } }, /over 1100 schemas/],
  ])("of %s", (_, schema, reason) => {
    expect(refused(schema)).toMatch(reason);
    expect(refused(schema).length).toBeLessThan(400);
  });

  it("that do not hold for one that is", () => {
    expect(() => createCheck({ properties: members(501, () => true) })).not.toThrow();
  });

  it.each<JsonSchema>([
    { $ref: "http://169.254.169.254/x" },
    { $ref: "other.json#/a" },
    { properties: { a: { $dynamicRef: "https://example.test/#a" } } },
    { $ref: "http://json-schema.org/draft-07/schema#" },
  ])("and refers to itself alone (S3): %j", (schema) => {
    expect(refused(schema)).toMatch(/leaves the schema/);
  });

  it.each<JsonSchema>([
    { properties: { a: { $id: "urn:inner", type: "string" } } },
    { unknown: { b: { $anchor: "hidden" } }, $ref: "#hidden" },
    { $defs: { a: { $dynamicAnchor: "n" } }, $dynamicRef: "#n" },
  ])("and has one name at most, at its root (S4): %j", (schema) => {
    expect(refused(schema)).toMatch(/below the root is not supported/);
  });

  /** As heavy as any: three ways at each level of a value. */
  const hidden = {
    properties: { a: { anyOf: Array.from({ length: 3 }, () => ({ $ref: "#/hidden" })) } },
    additionalProperties: false,
  };
  const draft4 = "http://json-schema.org/draft-04/schema#";

  it.each<[string, JsonSchema]>([
    ...["default", "const", "enum", "example", "examples"].map((name): [string, JsonSchema] => [
      `of a property called ${name}`,
      { properties: { [name]: { $id: "http://x.example/a", $ref: "#/hidden", hidden } } },
    ]),
    ["as draft-04's id", { $schema: draft4, properties: { p: { id: "http://x.example/a", allOf: [hidden] } } }],
    ["in what a reference makes a schema", { $ref: "#/x/default", x: { default: { $id: "urn:a", hidden } } }],
    [
      "in an example, where ajv looks",
      { $id: "urn:r", $ref: "#/$defs/a", $defs: { a: {} }, example: { $id: "urn:r#/$defs/a" } },
    ],
    ["of an example that is referred to", { $ref: "#a", example: { $anchor: "a", hidden } }],
  ])("and hides no second name: %s", (_, schema) => {
    expect(refused(schema)).toMatch(/below the root is not supported/);
  });

  it.each<JsonSchema>([
    { $ref: "#/const/a/b", const: { a: { $id: "http://x.example/a", b: { $ref: "#/hidden" }, hidden } } },
    { items: { $ref: "#/examples/0" }, examples: [{ type: "string" }] },
  ])("and refers to no schema among values: %j", (schema) => {
    expect(refused(schema)).toMatch(/points to a value/);
  });

  it("though a property, a constant or an example may be called $id", () => {
    const schema = { properties: { $id: { type: "string" } }, const: { $id: "x" }, examples: [{ $anchor: "y" }] };
    expect(foreign(schema).accepts({ $id: "x" })).toBe(true);
  });

  it.each<[JsonSchema, string]>([
    [
      { properties: { a: { pattern: "^(?=a)" } } },
      "the pattern at /properties/a/pattern has look-ahead or look-behind",
    ],
    [{ items: { patternProperties: { "(a)\\1": {} } } }, "/items/patternProperties/(a)\\1 has a back-reference"],
    [{ propertyNames: { pattern: "(?:a{900}){2}" } }, "the pattern at /propertyNames/pattern repeats"],
    [{ $ref: "#/x/y", x: { y: { pattern: "(?!a)" } } }, "the pattern at /x/y/pattern has look-ahead"],
  ])("and has patterns that run in linear time (S1): %j", (schema, reason) => {
    expect(refused(schema)).toContain(reason);
  });

  it.each<JsonSchema>([{ $async: true }, { properties: { a: { pattern: { $data: "1/b" } } } }])(
    "and has no code or data of ajv's (S5): %j",
    (schema) => {
      expect(refused(schema)).not.toBe("not refused");
    },
  );

  it("and gives no meaning to words that are not JSON Schema's (S5)", () => {
    const schema = {
      "toolhost:work": { steps: -1e9 },
      discriminator: { propertyName: "k" },
      instanceof: "Function",
      xml: { name: "x" },
      oneOf: [{ properties: { k: { const: "a" } } }, { required: ["z"], properties: { k: { const: "b" } } }],
    };
    expect(foreign(schema).accepts({ k: "a" })).toBe(true);
  });

  it.each<JsonSchema>([
    { $ref: "#" },
    { properties: { a: { anyOf: [{ not: { $ref: "#/properties/a" } }, true] } } },
    { $defs: { a: { if: { $ref: "#/$defs/b" } }, b: { dependentSchemas: { x: { $ref: "#/$defs/a" } } } } },
  ])("and does not refer to itself without end: %j", (schema) => {
    expect(refused(schema)).toMatch(/refers to itself without end/);
  });

  it.each(["toString", "constructor", "hasOwnProperty"])("and knows own properties alone (S6): %s", (key) => {
    expect(foreign({ required: [key] }).accepts({})).toBe(false);
    expect(foreign({ properties: { [key]: { type: "string" } } }).accepts({})).toBe(true);
  });
});

describe("a source that is not trusted", () => {
  const bad = toolOf({ name: "bad", parameters: { type: "object", properties: { a: { pattern: "(?=a)" } } } });

  it("loses the tool alone, with a reason that names the place", () => {
    const registry = createRegistry();
    const skipped = registry.replace("far", [bad, toolOf({ name: "good" })], { trusted: false });
    expect(skipped).toEqual([
      { name: "bad", reason: expect.stringContaining('in "parameters", the pattern at /properties/a/pattern') },
    ]);
    expect(registry.list().map(({ tool }) => tool.name)).toEqual(["good"]);
  });

  it("is what it must be said to be", () => {
    expect(createRegistry().replace("near", [bad])).toEqual([]);
  });
});

/** CPU time of this process: others may be busy, and the first run of anything is slow. The best of a few runs counts. */
function fastest(work: () => unknown, enoughMs: number): number {
  let best = Infinity;
  for (let run = 0; run < 6 && best >= enoughMs; run++) {
    const start = process.cpuUsage().user;
    work();
    best = Math.min(best, (process.cpuUsage().user - start) / 1000);
  }
  return best;
}

const maxLagMs = 50;

describe("no schema holds up the process (S2)", () => {
  it.each(bombs.map((bomb) => [bomb.name, bomb] as const))("%s", (_, { schema, value }) => {
    let check: Check | undefined;
    let run = 0;
    // A comment of its own makes each run compile anew.
    const fresh = () => (check = foreign({ ...(schema as JsonObject), $comment: `${run++}` }));
    expect(fastest(fresh, maxLagMs)).toBeLessThan(maxLagMs);
    expect(fastest(() => fresh().accepts(value), 2 * maxLagMs)).toBeLessThan(2 * maxLagMs); // compiled as well
    expect(fastest(() => check?.accepts(value), maxLagMs)).toBeLessThan(maxLagMs);
    expect(fastest(() => toIssues(check?.findings(value) ?? []), maxLagMs)).toBeLessThan(maxLagMs);
  });

  it("made at random", () => {
    const leaf = fc.constantFrom<JsonSchema>(
      { type: "string", maxLength: 5 },
      { type: "number", multipleOf: 0.01 },
      { $ref: "#" },
      { $ref: "#/$defs/a" },
      { enum: [1, "a", null, { a: 1 }] },
      { pattern: "^(a|a)*$" },
      { uniqueItems: true },
      { format: "uri" },
      true,
    );
    const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
      const inner = tie("schema");
      const list = fc.array(inner, { minLength: 1, maxLength: 4 });
      return {
        schema: fc.oneof(
          { maxDepth: 4, withCrossShrink: true },
          leaf,
          fc.record({ properties: fc.dictionary(fc.constantFrom("a", "b", "c"), inner) }),
          list.map((anyOf) => ({ anyOf })),
          list.map((oneOf) => ({ oneOf })),
          list.map((allOf) => ({ allOf })),
          inner.map((items) => ({ items })),
          inner.map((not) => ({ not })),
          inner.map((contains) => ({ contains })),
          inner.map((additionalProperties) => ({ additionalProperties })),
          inner.map((each) => ({ patternProperties: { "^[a-c]+$": each }, unevaluatedProperties: false })),
        ),
      };
    });
    const wide = Array.from({ length: 2000 }, (_, i) => ({ a: i, b: [`${i}`], c: null }));
    const deep = JSON.parse(`${'{"a":['.repeat(30)}1${"]}".repeat(30)}`) as unknown;
    fc.assert(
      fc.property(schema, schema, (root, a) => {
        let check: Check;
        try {
          check = foreign({ allOf: [root], $defs: { a } });
        } catch {
          return; // over the bounds, or in a circle
        }
        for (const value of [wide, deep, "a".repeat(20_000), {}]) {
          const work = () => check.accepts(value) || check.findings(value);
          expect(fastest(work, 2 * maxLagMs)).toBeLessThan(2 * maxLagMs); // the verdict and the findings
        }
      }),
      { numRuns: process.env["FUZZ_SIZE"] === "nightly" ? 20_000 : 1000 },
    );
  }, 120_000);
});

describe("what is checked within bounds is checked as what is trusted", () => {
  it("for a megabyte of plain answers", () => {
    const schema: JsonSchema = {
      type: "array",
      items: {
        type: "object",
        required: ["id", "name", "created_at"],
        properties: {
          id: { type: "integer" },
          name: { type: ["string", "null"], maxLength: 200 },
          created_at: { type: "string", format: "date-time" },
          key: { type: "string", pattern: "^[0-9a-f]{8}-[0-9a-f]{4}$" },
          owner: { anyOf: [{ type: "null" }, { $ref: "#/$defs/owner" }] },
          labels: { type: "array", uniqueItems: true, items: { type: "string" } },
        },
      },
      $defs: { owner: { type: "object", properties: { login: { type: "string" }, site_admin: { type: "boolean" } } } },
    };
    const item = (id: number) => ({
      id,
      name: `Item ${id}`,
      created_at: "2026-11-28T00:00:00Z",
      key: "0123abcd-4567",
      owner: { login: "octocat", site_admin: false },
      labels: ["bug", "help wanted"],
    });
    const value = Array.from({ length: 6200 }, (_, id) => item(id));
    expect(JSON.stringify(value).length).toBeGreaterThan(1_000_000);
    expect(foreign(schema).accepts(value)).toBe(true);
    expect(foreign(schema).accepts([...value, { id: 1 }])).toBe(false);
  });

  it("and an issue says that a check gave up", () => {
    const [{ schema, value }] = bombs as [(typeof bombs)[number]];
    const issues = toIssues(foreign(schema).findings(value));
    expect(issues).toMatchObject([
      { path: "", message: expect.stringMatching(/^cannot be checked, because the value or the schema is too large/) },
    ]);
  });
});
