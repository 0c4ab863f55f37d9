import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonSchema } from "../../src/core/json-schema.ts";
import { createRegistry } from "../../src/core/registry.ts";
import { invoke } from "../../src/index.ts";
import { toolOf } from "../core/one-tool.ts";
import { assertFuzzed, fuzzTimeoutMs } from "./fuzz-size.ts";
import { arePrototypesChanged } from "./prototypes.ts";
import { instances, likelySchemas, wildSchemas } from "./schemas.ts";

/** Words of an engine that stumbled, where a person should read a reason. */
const stumbled = /undefined|Cannot |is not a function|call stack|not iterable|\n\s+at |Converting circular/;

/** Undefined where the code that ajv made fails, which tells nothing of the value. */
type PlainCheck = (value: unknown) => boolean | undefined;

/** ajv as it is, with the switches that the contract names, and nothing of ours around it. */
function plainCheckOf(schema: JsonSchema): PlainCheck | undefined {
  // Patterns are read with the flag that JSON Schema asks for, and without it where one is only legal so.
  const validate = compilePlainly(schema, true) ?? compilePlainly(schema, false);
  if (validate === undefined) return undefined;
  return (value) => {
    try {
      return validate(value);
    } catch (error) {
      // A schema that refers to itself without end accepts nothing.
      return error instanceof RangeError ? false : undefined;
    }
  };
}

function compilePlainly(schema: JsonSchema, unicodeRegExp: boolean): ValidateFunction | undefined {
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, ownProperties: true, logger: false, unicodeRegExp });
  addFormats.default(ajv);
  try {
    return ajv.compile(schema);
  } catch {
    return undefined;
  }
}

it(
  "anything given as a schema is taken or refused with a reason, and what is taken can be called",
  async () => {
    const registry = createRegistry({ env: {} });
    const registered = fc.asyncProperty(wildSchemas, wildSchemas, async (parameters, response) => {
      const tool = { ...toolOf({}), parameters: parameters as JsonSchema, response: response as JsonSchema };
      const [skipped] = registry.replace("fuzz", [tool]);
      if (skipped !== undefined) {
        expect(skipped.reason).toMatch(/\S{2}/);
        expect(skipped.reason).not.toMatch(stumbled);
        return;
      }
      const outcome = await invoke(registry, { name: "tool", arguments: {} });
      const code = outcome.status === "ok" ? "ok" : outcome.error.code;
      expect(["ok", "invalid_arguments", "invalid_result"]).toContain(code);
      expect(() => JSON.stringify(registry.list()[0]?.declaration)).not.toThrow();
    });
    await assertFuzzed("schemas of any kind", registered, { commit: 300, nightly: 50_000 });
    expect(arePrototypesChanged()).toBe(false);
  },
  fuzzTimeoutMs,
);

it(
  "a schema that is taken judges as plain ajv does, and explains what it refuses",
  async () => {
    const judged = fc.asyncProperty(
      likelySchemas,
      fc.array(fc.dictionary(fc.constantFrom("a", "b", "c", "constructor", "é"), instances, { maxKeys: 4 }), {
        minLength: 3,
        maxLength: 6,
      }),
      async (parameters, values) => {
        const registry = createRegistry({ env: {} });
        const [skipped] = registry.replace("fuzz", [toolOf({ parameters })]);
        const plain = plainCheckOf(parameters);
        // A reference that ajv would never come to is looked at all the same.
        if (skipped !== undefined && plain !== undefined) expect(skipped.reason).toContain("points at nothing");
        if (skipped !== undefined) return;
        if (plain === undefined) throw new Error("It was taken, and ajv cannot compile it.");
        for (const value of values) {
          const verdict = plain(value);
          const outcome = await invoke(registry, { name: "tool", arguments: value });
          if (verdict !== undefined) expect(outcome.status, JSON.stringify(value)).toBe(verdict ? "ok" : "error");
          if (outcome.status === "ok") continue;
          expect(outcome.error.code).toBe("invalid_arguments");
          expect(outcome.error.issues?.length).toBeGreaterThan(0);
        }
      },
    );
    await assertFuzzed("schemas beside plain ajv", judged, { commit: 60, nightly: 20_000 });
  },
  fuzzTimeoutMs,
);
