import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { type Check, createCheck } from "../../../src/schema/check.ts";
import { dialects } from "../../../src/dialects/dialects.ts";
import { restoreArguments } from "../../../src/dialects/restore/restore.ts";
import type { Loss } from "../../../src/dialects/schema/losses.ts";
import { dialectOfProfile, profileNames, projectSchema } from "../profiles.ts";
import { createRandom, instanceOf, mutantOf } from "../../conformance/instances.ts";
import { toJsonSchema } from "./openapi-to-json-schema.ts";
import { parameters } from "./schemas.ts";

const numRuns = Number(process.env["FUZZ_RUNS"] ?? 400);

function checkOf(schema: JsonObject): Check | undefined {
  try {
    const check = createCheck(schema);
    check.accepts({});
    return check;
  } catch {
    return undefined;
  }
}

/** Values that either schema may accept, and some that are nearly so. */
function valuesNear(first: JsonObject, second: JsonObject, seed: number): unknown[] {
  const random = createRandom(seed);
  const values = [first, second].flatMap((schema) => Array.from({ length: 6 }, () => instanceOf(schema, random)));
  return [
    ...values,
    ...values.map((value) => mutantOf(value, random)),
    ...values.map((value) => mutantOf(value, random)),
  ];
}

/** A key that went by another name for the provider to take it: no model gives it as it was. */
function holdsRefusedKey(value: unknown, losses: readonly Loss[]): boolean {
  const keys = losses.flatMap(({ kind, path }) => (kind === "renamed" ? [path.slice(path.lastIndexOf("/") + 1)] : []));
  return keys.some((key) => JSON.stringify(value).includes(`${JSON.stringify(key)}:`));
}

describe.each(profileNames)("what the profile %s says", (profile) => {
  it("is taken by the tool where it does not warn that it is wider", () => {
    let looked = 0;
    fc.assert(
      fc.property(parameters, fc.nat(), (original, seed) => {
        const { schema, losses } = projectSchema(original, profile);
        if (schema === undefined || losses.some(({ kind }) => kind === "widened")) return;
        const said = profile === "gemini-openapi" ? toJsonSchema(schema) : schema;
        const [own, projected] = [checkOf(original), checkOf(said)];
        if (own === undefined) return;
        expect(projected, JSON.stringify(said)).toBeDefined();
        if (projected === undefined) return;
        for (const value of valuesNear(said, original, seed)) {
          if (!projected.accepts(value) || holdsRefusedKey(value, losses)) continue;
          looked++;
          const restored = restoreArguments(dialects[dialectOfProfile(profile)], original, value).value;
          if (own.accepts(restored)) continue;
          throw new Error(JSON.stringify({ original, said, value, restored, losses }));
        }
      }),
      { numRuns },
    );
    console.info(`${profile}: ${looked} values were accepted`);
    expect(looked).toBeGreaterThan(numRuns / 40);
  });

  it.skipIf(profile === "openai-strict")(
    "leaves out nothing that the tool takes where it does not warn that it is narrower",
    () => {
      let looked = 0;
      fc.assert(
        fc.property(parameters, fc.nat(), (original, seed) => {
          const { schema, losses } = projectSchema(original, profile);
          if (schema === undefined || losses.some(({ kind }) => kind === "narrowed" || kind === "renamed")) return;
          const said = profile === "gemini-openapi" ? toJsonSchema(schema) : schema;
          const [own, projected] = [checkOf(original), checkOf(said)];
          if (own === undefined || projected === undefined) return;
          for (const value of valuesNear(said, original, seed)) {
            if (!own.accepts(value)) continue;
            looked++;
            if (projected.accepts(value)) continue;
            throw new Error(JSON.stringify({ original, said, value, losses }));
          }
        }),
        { numRuns },
      );
      expect(looked).toBeGreaterThan(numRuns / 10);
    },
  );
});
