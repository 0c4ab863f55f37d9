import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { outputSchemaOf } from "../../src/dialects/mcp/schema.ts";
import { placeSchema } from "../../src/http/routes/openapi/schema.ts";
import type { JsonObject } from "../../src/json/object.ts";
import { type Check, createCheck } from "../../src/schema/check.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import { modernise } from "../../src/schema/modern.ts";

/** The groups of the official JSON Schema test suite, in each draft that has their keywords, rewritten in 2020-12. */
const folder = fileURLToPath(new URL("../../../shared/corpus/json-schema-test-suite/tests/", import.meta.url));
const present = existsSync(folder) || process.env["CI"] !== undefined; // CI fails if it is missing
if (!present) console.warn(`The JSON Schema test suite is skipped: ${folder} does not exist.`);

interface Group {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly description: string; readonly data: unknown }[];
}

const draft7 = "http://json-schema.org/draft-07/schema#";
const draft2019 = "https://json-schema.org/draft/2019-09/schema";

/**
 * The groups that are not compared, as any value is declared there: a dynamic reference whose meaning depends on the way to
 * it, and a reference to the metaschema of a draft, which is outside the document.
 */
const withoutMeaning = /dynamicRef|metaschema|remote ref, containing refs itself/;

const runs = [
  { groups: "draft7", uri: draft7, cases: 1600, unresolved: 2 },
  { groups: "draft7", uri: draft7.replace("07", "06"), cases: 1600, unresolved: 2 },
  { groups: "draft7", uri: draft7.replace("07", "04"), cases: 1600, unresolved: 2 },
  { groups: "draft7", uri: draft2019, cases: 1600, unresolved: 0 },
  { groups: "draft2020-12", uri: draft2019, cases: 2000, unresolved: 15 },
  { groups: "draft2020-12", uri: "https://json-schema.org/draft/2020-12/schema", cases: 2000, unresolved: 17 },
];

function readGroups(name: string): Group[] {
  if (!present) return [];
  const files = readdirSync(folder + name, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".json"),
  );
  return files.flatMap((file) =>
    (JSON.parse(readFileSync(`${folder}${name}/${file}`, "utf8")) as Group[]).map((group) => ({
      ...group,
      description: `${file}: ${group.description}`,
    })),
  );
}

function checkOf(schema: JsonSchema): Check | undefined {
  try {
    return createCheck(schema);
  } catch {
    return undefined;
  }
}

describe.skipIf(!present).each(runs)("the groups of $groups as $uri", ({ groups, uri, cases, unresolved }) => {
  const metaschema = new Ajv2020({ strict: false, logger: false });
  const taken = readGroups(groups).flatMap(({ schema, ...group }) => {
    const named: JsonSchema = typeof schema === "boolean" ? schema : { ...schema, $schema: uri };
    const check = checkOf(named);
    return check === undefined ? [] : [{ ...group, schema: named, check }];
  });

  it("are valid 2020-12 in the mcp format, and accept what the check accepts", () => {
    let compared = 0;
    const lost: string[] = [];
    for (const { schema, check, description, tests } of taken) {
      const output = outputSchemaOf(schema);
      if (output === undefined) continue; // `true`: no schema is declared
      expect(metaschema.validateSchema(output), description).toBe(true);
      if (modernise(schema).unresolved.length > 0) {
        lost.push(description);
        continue;
      }
      const declared = createCheck(output);
      const isWrapped = typeof schema === "boolean" || schema["type"] !== "object";
      for (const test of tests) {
        const value = isWrapped ? { result: test.data } : test.data;
        const about = `${description}: ${test.description}: ${JSON.stringify(output)}`;
        expect(declared.accepts(value), about).toBe(check.accepts(test.data));
        compared++;
      }
    }
    console.info(`${uri}: ${compared} compared, not compared: ${lost.join("; ")}`);
    for (const description of lost) expect(description).toMatch(withoutMeaning);
    expect(lost.length).toBe(unresolved);
    expect(compared).toBeGreaterThan(cases);
  });

  it("accept in /openapi.json what the check accepts, unless it says that they have no place there", () => {
    let compared = 0;
    for (const { schema, check, description, tests } of taken) {
      const schemas = placeSchema("T", schema);
      if (JSON.stringify(schemas).includes("this document cannot contain the tool's schema")) continue;
      const document: JsonObject = { $ref: "#/components/schemas/T", components: { schemas } };
      const placed = createCheck(document);
      for (const test of tests) {
        const about = `${description}: ${test.description}: ${JSON.stringify(schemas)}`;
        expect(placed.accepts(test.data), about).toBe(check.accepts(test.data));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(cases);
  });
});
