import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import { withoutProperties } from "../../../src/schema/fixed/without-properties.ts";
import { bound, boundSchemas, leafValues, sentArguments } from "../../fuzz/bound-schemas.ts";
import { runs } from "../../runs.ts";
import { evaluate } from "../evaluation-model.ts";

/** A schema without the bound name, or undefined if no object is valid. */
function declaredOf(schema: JsonObject, known: { readonly value: unknown } | undefined): JsonObject | undefined {
  try {
    return withoutProperties(schema, new Map([[bound, known]])).schema;
  } catch (error) {
    if (error instanceof Error && error.constructor === Error) return undefined;
    throw error;
  }
}

it("accepts at least what the source accepts together with the bound argument, and never names it", () => {
  const counts = { valid: 0, refused: 0, skipped: 0 };
  const schemas = boundSchemas.filter((schema) => schema["$schema"] === undefined);
  const sent = fc.array(sentArguments, { minLength: 6, maxLength: 6 });
  const property = fc.property(schemas, leafValues, fc.boolean(), sent, (schema, value, isKnown, calls) => {
    const declared = declaredOf(schema, isKnown ? { value } : undefined);
    expect(JSON.stringify(declared) ?? "").not.toContain(bound);
    for (const args of calls) {
      const isValid = evaluate(schema, { ...args, [bound]: value }, schema) !== undefined;
      if (isValid) expect(declared && evaluate(declared, args, declared)).toBeDefined();
      counts[declared === undefined ? "skipped" : isValid ? "valid" : "refused"]++;
    }
  });
  fc.assert(property, { numRuns: runs(3000) });
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(runs(500));
});
