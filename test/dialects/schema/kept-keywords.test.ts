import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { treatmentOf } from "../../../src/dialects/schema/profile.ts";
import { profileNames, profileOf, projectSchema } from "../profiles.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { runs } from "../../runs.ts";

const numRuns = Number(process.env["FUZZ_RUNS"] ?? runs(400));
const counts = fc.constantFrom(1, 2, 5);

const ofTypes: Readonly<Record<string, Record<string, fc.Arbitrary<unknown>>>> = {
  string: {
    minLength: counts,
    maxLength: counts,
    pattern: fc.constantFrom("^a", "b$"),
    format: fc.constantFrom("date", "date-time", "email"),
    enum: fc.constantFrom(["a"], ["a", "b"]),
    title: fc.constant("T"),
  },
  integer: {
    minimum: counts,
    maximum: counts,
    multipleOf: counts,
    exclusiveMinimum: fc.constantFrom(0, 0.5),
    exclusiveMaximum: counts,
  },
  number: { minimum: counts, maximum: counts, multipleOf: counts, exclusiveMinimum: fc.constant(0.5) },
  boolean: { title: fc.constant("T") },
};

/** Schemas of nothing but what a profile keeps, in shapes that it has. */
function keptSchemas(name: string): fc.Arbitrary<JsonObject> {
  const profile = profileOf(name);
  const keeps = (keyword: string) => "convert" in profile || treatmentOf(profile, keyword) === "keep";
  const some = (words: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
    fc.record(Object.fromEntries(Object.entries(words).filter(([keyword]) => keeps(keyword))), {
      requiredKeys: [],
    }) as fc.Arbitrary<JsonObject>;
  const isClosed = keeps("additionalProperties");
  const scalars = Object.entries(ofTypes).map(([type, words]) => some(words).map((said) => ({ type, ...said })));
  const { object } = fc.letrec<{ schema: JsonObject; object: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 2 },
      fc.oneof(...scalars, fc.constantFrom({ type: ["string", "null"] }, { type: ["string", "integer"] })),
      tie("object"),
      fc
        .tuple(tie("schema"), some({ minItems: fc.constant(1), maxItems: counts }))
        .map(([items, said]) => ({ type: "array", items, ...said })),
      fc.tuple(tie("schema"), tie("schema")).map((anyOf) => ({ anyOf })),
    ),
    object: fc
      .dictionary(fc.constantFrom("a", "b", "type", "items"), tie("schema"), {
        minKeys: 1,
        maxKeys: 3,
        noNullPrototype: true,
      })
      .map((properties) => ({
        type: "object",
        properties,
        required: Object.keys(properties),
        ...(isClosed && { additionalProperties: false }),
      })),
  }));
  return object;
}

describe.each(profileNames)("of schemas that say only what %s keeps", (profile) => {
  it("nothing is lost", () => {
    let looked = 0;
    fc.assert(
      fc.property(keptSchemas(profile), (source) => {
        const { schema, losses } = projectSchema(source, profile);
        expect(schema).toBeDefined();
        expect(losses).toEqual([]);
        looked++;
      }),
      { numRuns },
    );
    expect(looked).toBeGreaterThanOrEqual(numRuns);
  });
});
