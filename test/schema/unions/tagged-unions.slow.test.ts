import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { toIssues } from "../../../src/schema/issues.ts";
import { createCheck } from "../../../src/schema/check.ts";
import type { JsonSchema } from "../../../src/schema/json-schema.ts";

/**
 * A union whose branches pin a tag, in any of the ways that people and libraries write it, a value of one branch, and
 * one fault elsewhere in it.
 */
interface Case {
  readonly schema: JsonSchema;
  /** Puts a member of the union where the schema expects it. */
  readonly wrap: (value: JsonObject) => unknown;
  readonly branches: readonly JsonObject[];
  readonly tagPath: string;
  readonly tags: readonly unknown[];
  readonly at: string;
}

const leaves = [
  { schema: { type: "integer" }, good: 1, bad: "x" },
  { schema: { type: "string", minLength: 2 }, good: "ab", bad: "a" },
  { schema: { enum: ["lab", "pug"] }, good: "lab", bad: "husky" },
  { schema: { const: "only" }, good: "only", bad: "other" },
  { schema: { type: "array", items: { type: "number" } }, good: [1], bad: [1, "x"] },
  {
    schema: { type: "object", required: ["in"], properties: { in: { enum: [1, 2] } } },
    good: { in: 1 },
    bad: { in: 3 },
  },
  { schema: { anyOf: [{ type: "boolean" }, { type: "null" }] }, good: null, bad: "x" },
] as const;

const tagSets: readonly (readonly unknown[])[] = [
  ["cat", "dog", "cow", "hen"],
  [true, false, null, 0],
  [1, 2, 3.5, -4],
  ["1", 1, true, null],
];

const cases = fc
  .record({
    union: fc.constantFrom("oneOf", "anyOf"),
    tags: fc
      .tuple(fc.constantFrom(...tagSets), fc.integer({ min: 2, max: 4 }))
      .map(([set, count]) => set.slice(0, count)),
    pin: fc.constantFrom("const", "enum"),
    tagAt: fc.constantFrom("flat", "nested", "ref", "allOf", "ref to ref"),
    shape: fc.constantFrom("plain", "ref", "allOf", "typed"),
    place: fc.constantFrom("arguments", "member", "item", "map", "nullable"),
    leafOf: fc.array(fc.nat(leaves.length - 1), { minLength: 4, maxLength: 4 }),
    sharedKey: fc.boolean(),
    closed: fc.boolean(),
  })
  .map((plan): Case & { valueOf(branch: number, isBad: boolean): JsonObject; faultPath(branch: number): string } => {
    const $defs: Record<string, JsonObject> = { text: { type: "string" } };
    const keyOf = (branch: number): string => (plan.sharedKey ? "data" : `data${branch}`);
    const tagKey = "kind/~1";
    const branches = plan.tags.map((tag, branch): JsonObject => {
      const pin: JsonObject = plan.pin === "const" ? { const: tag } : { enum: [tag] };
      const data = leaves[plan.leafOf[branch]!]!.schema;
      $defs[`tag${branch}`] = pin;
      $defs[`alias${branch}`] = { $ref: `#/$defs/tag${branch}` };
      const told = {
        flat: pin,
        nested: pin,
        ref: { $ref: `#/$defs/tag${branch}` },
        allOf: { allOf: [{}, pin] },
        "ref to ref": { $ref: `#/$defs/alias${branch}` },
      }[plan.tagAt];
      const tagged =
        plan.tagAt === "nested"
          ? { meta: { type: "object", required: [tagKey], properties: { [tagKey]: told } } }
          : { [tagKey]: told };
      const own: JsonObject = {
        type: "object",
        properties: { ...tagged, [keyOf(branch)]: data, note: { $ref: "#/$defs/text" } },
        required: [...Object.keys(tagged), keyOf(branch)],
        ...(plan.closed && { additionalProperties: false }),
      };
      if (plan.shape === "plain") return own;
      $defs[`branch${branch}`] = own;
      const reference = { $ref: `#/$defs/branch${branch}` };
      return plan.shape === "ref"
        ? reference
        : plan.shape === "allOf"
          ? { allOf: [reference] }
          : { type: "object", ...reference };
    });
    const union: JsonObject = { [plan.union]: plan.place === "nullable" ? [{ type: "null" }, ...branches] : branches };
    const places = {
      arguments: { schema: { type: "object", ...union }, wrap: (value: JsonObject): unknown => value, at: "" },
      member: { schema: { properties: { pet: union } }, wrap: (pet: JsonObject): unknown => ({ pet }), at: "/pet" },
      nullable: { schema: { properties: { pet: union } }, wrap: (pet: JsonObject): unknown => ({ pet }), at: "/pet" },
      item: {
        schema: { properties: { pets: { items: union } } },
        wrap: (pet: JsonObject): unknown => ({ pets: [pet] }),
        at: "/pets/0",
      },
      map: {
        schema: { additionalProperties: union },
        wrap: (pet: JsonObject): unknown => ({ "a/b": pet }),
        at: "/a~1b",
      },
    };
    const { schema, wrap, at } = places[plan.place];
    const token = "kind~1~01";
    return {
      schema: { ...schema, $defs },
      wrap,
      at,
      branches,
      tags: plan.tags,
      tagPath: `${at}${plan.tagAt === "nested" ? "/meta" : ""}/${token}`,
      faultPath: (branch) => `${at}/${keyOf(branch)}`,
      valueOf: (branch, isBad) => {
        const leaf = leaves[plan.leafOf[branch]!]!;
        const tag = { [tagKey]: plan.tags[branch] };
        return { ...(plan.tagAt === "nested" ? { meta: tag } : tag), [keyOf(branch)]: isBad ? leaf.bad : leaf.good };
      },
    };
  });

const issuesOf = (schema: JsonSchema, value: unknown) => {
  const check = createCheck(schema);
  expect(check.accepts(value)).toBe(false);
  return toIssues(check.findings(value), check.schema);
};

it("a fault beside the tag is told of the branch that the tag names, and of no other", { timeout: 240_000 }, () => {
  const property = fc.property(cases, fc.nat(3), ({ schema, wrap, tags, valueOf, faultPath }, index) => {
    const branch = index % tags.length;
    expect(createCheck(schema).accepts(wrap(valueOf(branch, false)))).toBe(true);
    for (const { path } of issuesOf(schema, wrap(valueOf(branch, true)))) {
      expect(path === faultPath(branch) || path.startsWith(`${faultPath(branch)}/`)).toBe(true);
    }
    const { note: _, ...value } = valueOf(branch, false);
    expect(issuesOf(schema, wrap({ ...value, note: 5 })).map(({ message }) => message)).toEqual([
      "must be string, not number",
    ]);
  });
  fc.assert(property, { numRuns: 1000 });
});

it("a tag that no branch has is one issue, which names those that there are", { timeout: 240_000 }, () => {
  const unknown = fc.constantFrom("cta", 99, false, "", [], {});
  const property = fc.property(cases, fc.nat(3), unknown, ({ schema, wrap, tags, tagPath, valueOf }, index, tag) => {
    fc.pre(!tags.includes(tag));
    const value = valueOf(index % tags.length, index % 2 === 0);
    const bad = "meta" in value ? { ...value, meta: { "kind/~1": tag } } : { ...value, "kind/~1": tag };
    const issues = issuesOf(schema, wrap(bad));
    expect(issues).toMatchObject([{ path: tagPath, keyword: "enum", expected: tags }]);
    if (tag === "cta" && tags.includes("cat")) expect(issues).toMatchObject([{ suggestion: "cat" }]);
  });
  fc.assert(property, { numRuns: 1000 });
});
