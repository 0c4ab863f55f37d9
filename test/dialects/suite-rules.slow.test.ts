import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { JSONSchema } from "openai/lib/jsonschema";
import { toStrictJsonSchema } from "openai/lib/transform";
import { describe, expect, it } from "vitest";
import { declareTools } from "../../src/dialects/declarations.ts";
import type { DeclaredTool } from "../../src/dialects/dialect.ts";
import { dialects } from "../../src/dialects/dialects.ts";
import { createRegistry, type JsonObject } from "../../src/index.ts";
import { dig } from "../providers/conversation.ts";
import { isObject } from "../providers/rules/breach.ts";
import { checkTools } from "../providers/rules/check-tools.ts";
import { type Form, providerOf } from "../providers/rules/declare.ts";

/** Every schema of the official JSON Schema test suite, as a tool's root and as a property, in every provider's words. */
const folder = fileURLToPath(new URL("../../../shared/corpus/json-schema-test-suite/tests/", import.meta.url));
const present = existsSync(folder) || process.env["CI"] !== undefined; // where CI runs it must be there
if (!present) console.warn(`The JSON Schema test suite is skipped: ${folder} is not there.`);

function schemasOf(draft: string, uri: string): { about: string; parameters: JsonObject }[] {
  const files = readdirSync(folder + draft, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".json"),
  );
  return files.flatMap((file) => {
    const groups = JSON.parse(readFileSync(`${folder}${draft}/${file}`, "utf8")) as {
      description: string;
      schema: unknown;
    }[];
    return groups.flatMap(({ description, schema }) => {
      const about = `${draft}/${file}: ${description}`;
      const property = {
        $schema: uri,
        type: "object",
        properties: { value: schema, list: { type: "array", items: schema } },
      };
      const root = isObject(schema) ? [{ about, parameters: { $schema: uri, ...schema, type: "object" } }] : [];
      return [{ about, parameters: property }, ...root];
    });
  });
}

const schemas = present
  ? [
      ...schemasOf("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
      ...schemasOf("draft7", "http://json-schema.org/draft-07/schema#"),
    ]
  : [];

/** What the registry takes: a schema that it refuses is never listed. */
function registered(): DeclaredTool[] {
  const tools = schemas.map(({ about, parameters }, index) => ({
    name: `t${index}`,
    description: about,
    parameters,
    execute: () => null,
  }));
  const refused = new Set(
    createRegistry()
      .replace("suite", tools)
      .map(({ name }) => name),
  );
  return tools.filter(({ name }) => !refused.has(name));
}

const listings: readonly { form: Form; strict: boolean }[] = [
  { form: "openai", strict: false },
  { form: "openai", strict: true },
  { form: "openai-responses", strict: true },
  { form: "anthropic", strict: false },
  { form: "anthropic", strict: true },
  { form: "gemini", strict: false },
  { form: "gemini-openapi", strict: false },
  { form: "ollama", strict: false },
  { form: "mcp", strict: false },
];

describe.skipIf(!present)("the schemas of the JSON Schema test suite", () => {
  const tools = registered();

  it.each(listings)("break no rule of $form, strict: $strict", ({ form, strict }) => {
    const dialect = dialects[providerOf(form)];
    const schema = form === "gemini-openapi" ? "openapi" : "json";
    const breaches = tools.flatMap((tool) => {
      const declared = declareTools(dialect, [tool], { strict, schema }).tools;
      return checkTools(providerOf(form), declared).map((breach) => ({ ...breach, tool: tool.description }));
    });
    expect(breaches).toEqual([]);
  });

  it("are strict for OpenAI where its own code makes them so", () => {
    for (const tool of tools) {
      const [declared] = declareTools(dialects.openai, [tool], { strict: true, schema: "json" }).tools;
      if (dig(declared, "function", "strict") !== true) continue;
      toStrictJsonSchema(structuredClone(dig(declared, "function", "parameters")) as JSONSchema);
    }
  });
});
