import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/json/canonical.ts";
import { findTwins } from "../../../src/dialects/reading/twins.ts";
import { runs } from "../../runs.ts";

const text = fc.constantFrom(
  "",
  "a",
  "b",
  `${"x".repeat(50)}1${"x".repeat(50)}`,
  `${"x".repeat(50)}2${"x".repeat(50)}`,
);
const scalar = fc.oneof(text, fc.constantFrom(null, true, 0, -0, 1, "0", "{}"));
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.dictionary(text, scalar, { maxKeys: 2 }));
const args = fc.oneof(
  fc.dictionary(fc.constantFrom("a", "b"), value, { maxKeys: 2 }),
  fc.array(value, { maxLength: 2 }),
);

describe("calls with one id", () => {
  it("are twins if and only if their arguments are equal as JSON", () => {
    const property = fc.property(fc.array(args, { maxLength: 8 }), (given) => {
      const keys = given.map((one) => canonicalJson(one));
      const expected = keys.map((key, place) => (keys.indexOf(key) < place ? keys.indexOf(key) : undefined));
      const twins = (as: (one: unknown) => unknown) =>
        findTwins(given.map((one) => ({ id: "a", name: "f", args: as(one) })));
      expect(twins((one) => one)).toEqual(expected);
      expect(twins((one) => JSON.stringify(one, null, 1))).toEqual(expected);
    });
    fc.assert(property, { numRuns: runs(1000) });
  });
});
