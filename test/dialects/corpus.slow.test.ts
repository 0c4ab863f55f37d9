import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/json/object.ts";
import { createCheck } from "../../src/schema/check.ts";
import { declareTools } from "../../src/dialects/declarations.ts";
import type { DeclaredTool } from "../../src/dialects/dialect.ts";
import { type DialectName, dialects } from "../../src/dialects/dialects.ts";
import { fixturesOf } from "./fixtures.ts";
import { dialectOfProfile, profileNames, projectSchema } from "./profiles.ts";
import { toJsonSchema } from "./schema/openapi-to-json-schema.ts";

/** 1,646 declarations of public MCP servers. */
const file = fileURLToPath(new URL("../../../shared/corpus/tools.jsonl", import.meta.url));
const present = existsSync(file) || process.env["CI"] !== undefined; // where CI runs it must be there
if (!present) console.warn(`The corpus of tools is skipped: ${file} is not there.`);

function readTools(): DeclaredTool[] {
  if (!present) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line, index) => {
    const { name, description, inputSchema } = JSON.parse(line) as {
      name: string;
      description?: string;
      inputSchema: JsonObject;
    };
    return {
      name: `t${index}_${name.replace(/[^a-zA-Z0-9_-]/g, "_")}`.slice(0, 64),
      description: description?.trim() || name,
      parameters: inputSchema,
    };
  });
}

describe.skipIf(!present)("the tools of public MCP servers", () => {
  const tools = readTools();

  it.each(profileNames)("have schemas in the words of %s that a validator takes", { timeout: 60_000 }, (profile) => {
    const found = { widened: 0, narrowed: 0, strict: 0 };
    for (const { name, parameters } of tools) {
      const { schema, losses, strict } = projectSchema(parameters, profile);
      expect(schema, `${name}: ${losses[0]?.message}`).toBeDefined();
      if (schema === undefined) continue;
      expect(JSON.stringify(schema).length, name).toBeLessThan(524_288);
      const said = profile === "gemini-openapi" ? toJsonSchema(schema) : schema;
      // Finds bad keywords and references that lead nowhere.
      expect(() => createCheck(said), name).not.toThrow();
      if (strict !== undefined) found.strict++;
      for (const kind of ["widened", "narrowed"] as const) if (losses.some((loss) => loss.kind === kind)) found[kind]++;
    }
    console.info(
      `${profile}: ${found.widened} of ${tools.length} tools are wider, ${found.narrowed} narrower, ${found.strict} strict`,
    );
    expect(found).toEqual(fixturesOf(dialectOfProfile(profile)).corpus[profile]);
  });

  const lists = (Object.keys(dialects) as DialectName[]).flatMap((name) =>
    [false, true].flatMap((strict) => (["json", "openapi"] as const).map((schema) => ({ name, strict, schema }))),
  );

  it.each(lists)("are listed or named in a warning: $name, strict $strict, $schema", ({ name, ...options }) => {
    const cold = tools.map((tool) => ({ ...tool }));
    const start = performance.now();
    const { tools: declared, warnings } = declareTools(dialects[name], cold, options);
    expect(performance.now() - start).toBeLessThan(8000);
    const omitted = warnings.filter(({ kind }) => kind === "omitted");
    const [first] = declared;
    const list = (first?.["functionDeclarations"] as unknown[] | undefined) ?? declared;
    expect(list.length + omitted.length).toBe(tools.length);
  });
});
