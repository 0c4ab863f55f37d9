import fc from "fast-check";
import type { JSONSchema } from "openai/lib/jsonschema";
import { toStrictJsonSchema } from "openai/lib/transform";
import { expect, it } from "vitest";
import { declareTools } from "../../src/dialects/declarations.ts";
import { dialects } from "../../src/dialects/dialects.ts";
import { createRegistry } from "../../src/index.ts";
import type { JsonObject } from "../../src/json/object.ts";
import { dig } from "../providers/conversation.ts";
import { checkTools } from "../providers/rules/check-tools.ts";
import { type Form, providerOf } from "../providers/rules/declare.ts";
import { draft2020, whyUnresolved } from "../providers/rules/metaschema.ts";
import { assertFuzzed, fuzzTimeoutMs } from "./fuzz-size.ts";
import { arePrototypesChanged } from "./prototypes.ts";
import { likelySchemas } from "./schemas.ts";

const forms: readonly Form[] = ["openai", "openai-responses", "anthropic", "gemini", "gemini-openapi", "ollama", "mcp"];

/** A schema as a root, and as a property. */
function parametersOf(schema: JsonObject): JsonObject[] {
  return [schema, { type: "object", properties: { value: schema }, required: ["value"] }];
}

function declare(form: Form, parameters: JsonObject, strict: boolean) {
  const schema = form === "gemini-openapi" ? "openapi" : "json";
  const tool = { name: "look", description: "Looks.", parameters };
  return declareTools(dialects[providerOf(form)], [tool], { strict, schema });
}

/** The registry overlooks a reference to nothing in a place that no value is ever asked about. */
function isRegistered(parameters: JsonObject): boolean {
  if (whyUnresolved(parameters, draft2020) !== undefined) return false;
  const tool = { name: "look", description: "Looks.", parameters, execute: () => null };
  return createRegistry().replace("fuzz", [tool]).length === 0;
}

it(
  "whatever schema the registry takes, each provider is told nothing that it refuses",
  async () => {
    const property = fc.asyncProperty(likelySchemas, fc.boolean(), async (schema, strict) => {
      for (const parameters of parametersOf(schema).filter(isRegistered)) {
        const before = JSON.stringify(parameters);
        for (const form of forms) holdsToItsRules(form, parameters, strict);
        expect(JSON.stringify(parameters)).toBe(before);
        expect(arePrototypesChanged()).toBe(false);
      }
    });
    await assertFuzzed("declarations", property, { commit: 300, nightly: 100_000, inputsPerRun: forms.length });
  },
  fuzzTimeoutMs,
);

function holdsToItsRules(form: Form, parameters: JsonObject, strict: boolean): void {
  const { tools, warnings } = declare(form, parameters, strict);
  expect(checkTools(providerOf(form), tools)).toEqual([]);
  expect(tools.length + warnings.filter(({ kind }) => kind === "omitted").length).toBe(1);
  if (form === "openai" && dig(tools, 0, "function", "strict") === true) {
    toStrictJsonSchema(structuredClone(dig(tools, 0, "function", "parameters")) as JSONSchema);
  }
}
