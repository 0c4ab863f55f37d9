import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outputSchemaOf } from "../../../src/dialects/mcp/schema.ts";
import { projectSchema } from "../profiles.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { type Check, createCheck } from "../../../src/schema/check.ts";
import { createRandom, instanceOf, mutantOf } from "../../conformance/instances.ts";
import { parameters } from "../schema/schemas.ts";
import { asDraft, type OlderDraft, olderDrafts } from "./older-drafts.ts";

/** 1,646 declarations of public MCP servers. */
const file = fileURLToPath(new URL("../../../../shared/corpus/tools.jsonl", import.meta.url));
const present = existsSync(file) || process.env["CI"] !== undefined; // CI fails if it is missing
if (!present) console.warn(`The corpus of tools is skipped: ${file} does not exist.`);

interface Declared {
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

const corpus = present
  ? readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Declared)
  : [];

const drafts = ["as it is", ...Object.keys(olderDrafts)] as ("as it is" | OlderDraft)[];
const numRuns = Number(process.env["FUZZ_RUNS"] ?? 300);

const metaschema = new Ajv2020({ strict: false, logger: false });
addFormats.default(metaschema);

function checkOf(schema: JsonObject): Check | undefined {
  try {
    const check = createCheck(schema);
    check.accepts({});
    return check;
  } catch {
    return undefined;
  }
}

function inDraft(source: JsonObject, draft: (typeof drafts)[number]): JsonObject {
  return draft === "as it is" ? source : asDraft(source, draft);
}

/** Values that the schema may accept, and some that are nearly so. */
function valuesNear(schema: JsonObject, seed: number): unknown[] {
  const random = createRandom(seed);
  const made = Array.from({ length: 4 }, () => instanceOf(schema, random));
  return [{}, ...made, ...made.map((value) => mutantOf(value, random))];
}

/** @returns how many values were accepted */
function compare(schema: JsonObject, modern: JsonObject, seed: number): number {
  const own = checkOf(schema);
  if (own === undefined) return 0;
  expect(metaschema.validateSchema(modern), JSON.stringify({ schema, modern, errors: metaschema.errors })).toBe(true);
  const said = createCheck(modern);
  let accepted = 0;
  for (const value of valuesNear(modern, seed)) {
    const verdict = own.accepts(value);
    if (said.accepts(value) !== verdict) throw new Error(JSON.stringify({ schema, modern, value, verdict }));
    if (verdict) accepted++;
  }
  return accepted;
}

describe.each(drafts)(
  "in the mcp format a schema (%s) is valid 2020-12, and accepts what the check accepts",
  (draft) => {
    it.skipIf(!present)("over the declarations of public servers", () => {
      let accepted = 0;
      for (const [index, { inputSchema, outputSchema }] of corpus.entries()) {
        const input = inDraft({ type: "object", ...inputSchema }, draft);
        const { schema, losses } = projectSchema(input, "mcp");
        expect(losses, JSON.stringify(input)).toEqual([]);
        accepted += compare(input, schema ?? {}, index);
        if (outputSchema?.["type"] !== "object") continue;
        const output = inDraft(outputSchema, draft);
        accepted += compare(output, outputSchemaOf(output) ?? {}, index);
      }
      console.info(`${draft}: ${accepted} values were accepted`);
      expect(accepted).toBeGreaterThan(corpus.length);
    });

    it("over generated schemas", () => {
      let accepted = 0;
      fc.assert(
        fc.property(parameters, fc.nat(), (source, seed) => {
          const schema = inDraft(source, draft);
          const { schema: modern = {}, losses } = projectSchema(schema, "mcp");
          expect(losses).toEqual([]);
          accepted += compare(schema, modern, seed);
        }),
        { numRuns },
      );
      console.info(`${draft}: ${accepted} values of generated schemas were accepted`);
      expect(accepted).toBeGreaterThan(numRuns / 4);
    });
  },
);
