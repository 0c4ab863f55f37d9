import fc from "fast-check";
import { expect, it } from "vitest";
import { declareTools } from "../../src/dialects/declarations.ts";
import { dialects } from "../../src/dialects/dialects.ts";
import { createRegistry, invoke, type BoundTo, type Outcome, type Registry } from "../../src/index.ts";
import { withTools } from "../../src/http/routes/openapi/operations.ts";
import { readFixedDocument } from "../../src/http/routes/openapi/fixed.ts";
import type { JsonObject } from "../../src/json/object.ts";
import { type Check, createCheck } from "../../src/schema/check.ts";
import { bound, boundSchemas, leafValues, sentArguments } from "./bound-schemas.ts";
import { assertFuzzed, fuzzSeed, fuzzTimeoutMs } from "./fuzz-size.ts";

interface Bound {
  readonly registry: Registry;
  /** The tool's own check; undefined if the schema is none that the registry takes. */
  readonly own: Check | undefined;
  readonly isSkipped: boolean;
  readonly ran: unknown[];
  call(args: unknown, value: unknown): Promise<Outcome>;
}

function bind(parameters: JsonObject, to: BoundTo): Bound {
  const ran: unknown[] = [];
  const tool = { name: "look", description: "Looks.", parameters, execute: (args: JsonObject) => void ran.push(args) };
  const isTaken = createRegistry().replace("own", [tool]).length === 0;
  const registry = createRegistry({ overrides: { look: { bind: { [bound]: to } } } });
  return {
    registry,
    own: isTaken ? createCheck(parameters) : undefined,
    isSkipped: registry.replace("own", [tool]).length > 0,
    ran,
    call: (args, value) => {
      const claims = value === undefined ? {} : { who: value };
      return invoke(registry, { name: "look", arguments: args, caller: { id: "issuer ann", claims } });
    },
  };
}

const bindings = fc.oneof(
  leafValues.map((value) => ({ to: { value }, value })),
  leafValues.filter((value) => value !== null).map((value) => ({ to: { claim: "who" }, value })),
);

it(
  `no declaration of any format names a bound argument (seed ${fuzzSeed})`,
  async () => {
    const fixed = await readFixedDocument();
    let declared = 0;
    const property = fc.asyncProperty(boundSchemas, bindings, async (schema, { to }) => {
      const { registry, own, isSkipped } = bind(schema, to);
      if (own === undefined || isSkipped) return;
      declared++;
      const tools = registry.list();
      const document = await withTools(fixed, tools);
      const written: unknown[] = [tools[0]!.declaration, document.paths["/tools/look/invoke"], document.components];
      for (const dialect of Object.values(dialects)) {
        for (const strict of [false, true]) {
          for (const form of dialect.name === "gemini" ? (["json", "openapi"] as const) : (["json"] as const)) {
            written.push(declareTools(dialect, [tools[0]!.tool], { strict, schema: form }));
          }
        }
      }
      expect(JSON.stringify(written)).not.toContain(bound);
    });
    await assertFuzzed("bound declarations", property, { commit: 1000, nightly: 50_000 });
    expect(declared).toBeGreaterThan(200);
  },
  fuzzTimeoutMs,
);

it(
  `a call is accepted exactly if the tool's own schema accepts it with what is bound (seed ${fuzzSeed})`,
  async () => {
    const counts = { ok: 0, refused: 0, skipped: 0 };
    const sent = fc.array(sentArguments, { minLength: 4, maxLength: 4 });
    const property = fc.asyncProperty(boundSchemas, bindings, sent, async (schema, { to, value }, calls) => {
      const { registry, own, isSkipped, ran, call } = bind(schema, to);
      if (own === undefined) return;
      const declared = isSkipped ? undefined : createCheck(registry.list()[0]!.declaration.parameters);
      for (const args of calls) {
        const isValid = own.accepts({ ...args, [bound]: value });
        if (declared === undefined) {
          expect(isValid).toBe(false);
          counts.skipped++;
          continue;
        }
        const before = ran.length;
        const outcome = await call(args, value);
        expect(outcome.status).toBe(isValid ? "ok" : "error");
        expect(ran.slice(before)).toEqual(isValid ? [{ ...args, [bound]: value }] : []);
        counts[isValid ? "ok" : "refused"]++;
        // A model that keeps to the declaration can say all that the tool takes.
        if (isValid) expect(declared.accepts(args)).toBe(true);
        expect(JSON.stringify(outcome)).not.toContain(bound);
      }
    });
    await assertFuzzed("bound calls", property, { commit: 1000, nightly: 50_000, inputsPerRun: 4 });
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(100);
  },
  fuzzTimeoutMs,
);

it(
  `no call sets a bound argument, and none runs without its claim (seed ${fuzzSeed})`,
  async () => {
    const property = fc.asyncProperty(
      boundSchemas,
      bindings,
      sentArguments,
      leafValues,
      async (schema, { to, value }, args, own) => {
        const { isSkipped, ran, call } = bind(schema, to);
        if (isSkipped) return;
        const sent = await call({ ...args, [bound]: own }, value);
        expect(sent).toMatchObject({ error: { code: "invalid_arguments", ran: "no" } });
        const asText = await call(JSON.stringify({ ...args, [bound]: own }), value);
        expect(asText).toMatchObject({ status: "error", error: { ran: "no" } });
        if ("claim" in to) {
          const missing = await call(args, undefined);
          expect(missing).toMatchObject({
            error: { code: "unavailable", action: "stop", ran: "no", retryable: false },
          });
          expect(missing).not.toHaveProperty("error.issues");
          expect(JSON.stringify(missing)).not.toContain(bound);
        }
        expect(ran).toEqual([]);
      },
    );
    await assertFuzzed("bound arguments that are sent", property, { commit: 1000, nightly: 50_000, inputsPerRun: 3 });
  },
  fuzzTimeoutMs,
);
