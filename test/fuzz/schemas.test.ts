import { isDeepStrictEqual } from "node:util";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { invoke } from "../../src/index.ts";
import { toolOf } from "../core/one-tool.ts";
import { assertFuzzed, fuzzTimeoutMs } from "./fuzz-size.ts";
import { arePrototypesChanged } from "./prototypes.ts";
import { instances, likelySchemas, wildSchemas } from "./schemas.ts";

/** Words of an engine that stumbled, where a person should read a reason. */
const stumbled = /undefined|Cannot |is not a function|call stack|not iterable|\n\s+at |Converting circular/;

/** Undefined if ajv's code fails or never ends, or has to count what is evaluated, in which it is wrong. */
type PlainCheck = (value: unknown) => boolean | undefined;

/** ajv as it is, but for how it compares, with the switches that the contract names, and nothing of ours around it. */
function plainCheckOf(schema: JsonSchema): PlainCheck | undefined {
  const validate = compilePlainly(schema);
  if (validate === undefined) return undefined;
  // test/schema/ajv/evaluated.property.test.ts compares these with the specification.
  if (JSON.stringify(schema).includes('"unevaluated')) return () => undefined;
  return (value) => {
    try {
      return validate(value);
    } catch {
      return undefined;
    }
  };
}

/** With the flag that JSON Schema asks for; without it what is written with a needless backslash. */
const readPattern = (pattern: string): RegExp => new RegExp(pattern, /\\-/.test(pattern) ? "" : "u");
const regExp = Object.assign(readPattern, { code: "readPattern" });

function compilePlainly(schema: JsonSchema): ValidateFunction | undefined {
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, ownProperties: true, logger: false, code: { regExp } });
  addFormats.default(ajv);
  // ajv compares by asking the values, which goes wrong where one has a `toString` or a `constructor` of its own.
  for (const keyword of ["const", "enum", "uniqueItems"]) ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword: "const", validate: isDeepStrictEqual });
  ajv.addKeyword({ keyword: "enum", validate: includes });
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", validate: areUnique });
  try {
    return ajv.compile(schema);
  } catch {
    return undefined;
  }
}

function includes(values: readonly unknown[], value: unknown): boolean {
  return values.some((each) => isDeepStrictEqual(each, value));
}

function areUnique(asked: boolean, items: readonly unknown[]): boolean {
  return !asked || !items.some((item, index) => includes(items.slice(0, index), item));
}

/** As a door reads it: `__proto__` is refused there, and every object has a prototype. */
function asRead<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
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
      async (written, values) => {
        const parameters = asRead(written);
        const registry = createRegistry({ env: {} });
        const [skipped] = registry.replace("fuzz", [toolOf({ parameters })]);
        const plain = plainCheckOf(parameters);
        // A reference that ajv would never come to is looked at all the same.
        if (skipped !== undefined && plain !== undefined) expect(skipped.reason).toContain("points to nothing");
        if (skipped !== undefined) return;
        if (plain === undefined) throw new Error("It was taken, and ajv cannot compile it.");
        for (const value of values.map(asRead)) {
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
