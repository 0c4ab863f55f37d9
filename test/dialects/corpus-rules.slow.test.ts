import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JSONSchema } from "openai/lib/jsonschema";
import { toStrictJsonSchema } from "openai/lib/transform";
import { describe, expect, it } from "vitest";
import { declareTools } from "../../src/dialects/declarations.ts";
import type { DeclaredTool } from "../../src/dialects/dialect.ts";
import { dialects } from "../../src/dialects/dialects.ts";
import type { JsonObject } from "../../src/json/object.ts";
import { objectsIn } from "../providers/conversation.ts";
import { checkTools } from "../providers/rules/check-tools.ts";
import { type Form, providerOf } from "../providers/rules/declare.ts";

/** 1,646 declarations of public MCP servers, in every provider's words. */
const file = fileURLToPath(new URL("../../../shared/corpus/tools.jsonl", import.meta.url));
const present = existsSync(file) || process.env["CI"] !== undefined; // where CI runs it must be there
if (!present) console.warn(`The corpus of tools is skipped: ${file} is not there.`);

interface Line {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

function toTool({ name, description, inputSchema, outputSchema }: Line, index: number): DeclaredTool {
  return {
    name: `t${index}_${name.replace(/[^a-zA-Z0-9_-]/g, "_")}`.slice(0, 64),
    description: description?.trim() || name,
    // What the registry makes of a schema that leaves its root's type unsaid.
    parameters: { type: "object", ...inputSchema },
    ...(outputSchema !== undefined && { response: outputSchema }),
  };
}

const corpus = present
  ? readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line, index) => toTool(JSON.parse(line) as Line, index))
  : [];

const forms: readonly Form[] = ["openai", "openai-responses", "anthropic", "gemini", "gemini-openapi", "ollama", "mcp"];
const listings = forms.flatMap((form) => [false, true].map((strict) => ({ form, strict })));

function declare(form: Form, strict: boolean, tools: readonly DeclaredTool[]) {
  const schema = form === "gemini-openapi" ? "openapi" : "json";
  return declareTools(dialects[providerOf(form)], tools, { strict, schema });
}

/** The corpus in lists of a length: alone, where strict tools share no budget, and as many as every provider takes. */
function listsOf(length: number): DeclaredTool[][] {
  return Array.from({ length: Math.ceil(corpus.length / length) }, (_, at) =>
    corpus.slice(at * length, (at + 1) * length),
  );
}

/** The declarations of a list, whatever holds them. */
function declarationsOf(tools: readonly unknown[]): Record<string, unknown>[] {
  return objectsIn(tools).flatMap((tool) => {
    if (Array.isArray(tool["functionDeclarations"])) return objectsIn(tool["functionDeclarations"]);
    return objectsIn([tool["function"] ?? tool]);
  });
}

describe.skipIf(!present)("the tools of public MCP servers", () => {
  it.each(listings)("break no rule of $form, strict: $strict", ({ form, strict }) => {
    const breaches = [...listsOf(1), ...listsOf(100)].flatMap((tools) =>
      checkTools(providerOf(form), declare(form, strict, tools).tools),
    );
    expect(breaches).toEqual([]);
  });

  it.each(listings)("are each listed for $form, strict: $strict, or named in a warning", ({ form, strict }) => {
    const { tools, warnings } = declare(form, strict, corpus);
    const listed = new Set<unknown>(declarationsOf(tools).map(({ name }) => name));
    const omitted = new Set(warnings.filter(({ kind }) => kind === "omitted").map(({ tool }) => tool));
    expect(corpus.filter(({ name }) => listed.has(name) === omitted.has(name)).map(({ name }) => name)).toEqual([]);
  });

  it("are strict for OpenAI where its own code makes them so", () => {
    for (const { parameters, strict } of declarationsOf(declare("openai", true, corpus).tools)) {
      if (strict === true) toStrictJsonSchema(structuredClone(parameters) as JSONSchema);
    }
  });

  it("are a list that the MCP SDK takes", () => {
    expect(ListToolsResultSchema.safeParse({ tools: declare("mcp", false, corpus).tools }).error).toBeUndefined();
  });
});
