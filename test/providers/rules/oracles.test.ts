import { ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JSONSchema } from "openai/lib/jsonschema";
import { toStrictJsonSchema } from "openai/lib/transform";
import { describe, expect, it } from "vitest";
import { checkMcpTools } from "./mcp.ts";
import { checkOpenAITools } from "./openai.ts";

/** Providers' own code beside our reading of their rules: where theirs refuses, ours does too. */
const closed = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

const strictSchemas: readonly (readonly [sentence: string, schema: object])[] = [
  ["closed and required", closed({ a: { type: "string" }, b: { type: ["integer", "null"] } })],
  [
    "recursive",
    closed(
      { n: { $ref: "#/$defs/N" } },
      { $defs: { N: closed({ n: { anyOf: [{ $ref: "#/$defs/N" }, { type: "null" }] } }) } },
    ),
  ],
  ["open", { type: "object", properties: {}, additionalProperties: true }],
  ["optional", closed({ a: { type: "string" } }, { required: [] })],
  ["a tuple", closed({ a: { type: "array", prefixItems: [{ type: "string" }], items: { type: "string" } } })],
  ["a map", closed({ a: { type: "object", additionalProperties: { type: "string" } } })],
  ["patterns of keys", closed({ a: closed({}, { patternProperties: { "^a": { type: "string" } } }) })],
  ["not", closed({ a: { type: "string", not: { enum: ["a"] } } })],
  ["a condition", closed({ a: { type: "string", if: { enum: ["a"] } } })],
  ["no items", closed({ a: { type: "array" } })],
  ["a boolean schema", closed({ a: true })],
  ["a reference to an anchor", closed({ a: { $ref: "#a" } })],
  ["unique items", closed({ a: { type: "array", items: { type: "string" }, uniqueItems: true } })],
  ["a count of properties", closed({ a: closed({}, { minProperties: 1 }) })],
  ["a union at the root", { ...closed({}), anyOf: [closed({}), closed({})] }],
];

describe("openai's toStrictJsonSchema", () => {
  it.each(strictSchemas)("refuses nothing that our rules take: %s", (_sentence, parameters) => {
    const breaches = checkOpenAITools(
      [{ type: "function", function: { name: "look", parameters, strict: true } }],
      "chat",
    );
    const refused = throws(() => toStrictJsonSchema(structuredClone(parameters) as JSONSchema));
    expect(breaches.length > 0 || !refused).toBe(true);
  });
});

const mcpTools: readonly (readonly [sentence: string, tool: object])[] = [
  ["a plain tool", { name: "look", inputSchema: { type: "object", properties: { a: {} } } }],
  ["hints", { name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
  ["no schema", { name: "look" }],
  ["a root without a type", { name: "look", inputSchema: {} }],
  ["a boolean property", { name: "look", inputSchema: { type: "object", properties: { a: true } } }],
  ["a result that is no object", { name: "look", inputSchema: { type: "object" }, outputSchema: { type: "string" } }],
  ["a hint that is a word", { name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: "yes" } }],
  ["a name that is a number", { name: 1, inputSchema: { type: "object" } }],
];

describe("the MCP SDK's schema of a list of tools", () => {
  it.each(mcpTools)("says what our rules say: %s", (_sentence, tool) => {
    const { success } = ListToolsResultSchema.safeParse({ tools: [tool] });
    expect(checkMcpTools([tool]).length === 0).toBe(success);
  });
});

function throws(act: () => void): boolean {
  try {
    act();
    return false;
  } catch {
    return true;
  }
}
