import { describe, expect, it } from "vitest";
import { checkTools } from "./check-tools.ts";
import { type Declared, type Form, listOf, providerOf } from "./declare.ts";

const object = (properties: unknown, more: object = {}) => ({ type: "object", properties, ...more });
const closed = (properties: object, more: object = {}) =>
  object(properties, { required: Object.keys(properties), additionalProperties: false, ...more });
const strict = { strict: true };

const localeByReference = object(
  { locale: { $ref: "#/$defs/L" } },
  { $defs: { L: { type: "string", enum: ["en", "fr"] } } },
);
const taggedUnion = object({
  shape: { anyOf: [object({ kind: { const: "circle" }, radius: { type: "number", exclusiveMinimum: 0 } })] },
});
const oneOfTwo = object(
  { a: { type: "string" }, b: { type: "string" } },
  { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
);
const manyRoots = {
  type: "object",
  anyOf: [closed({ content: { type: "string" } }), closed({ url: { type: "string" } })],
};

/** Public faults: a declaration as it was sent, and the rule that the provider refused it by. */
const faults: readonly (readonly [
  sentence: string,
  form: Form,
  parameters: unknown,
  rule: string,
  declared?: Declared,
])[] = [
  [
    "vercel/ai#21037: look-around",
    "openai",
    object({ a: { type: "string", pattern: "^(?!\\.)[^@]+@.+$" } }),
    "pattern",
  ],
  ["vercel/ai#21037: look-behind in Responses", "openai-responses", object({ a: { pattern: "(?<=a)b" } }), "pattern"],
  ["litellm#40485: a property of characters", "openai", object({ a: { pattern: "^\\p{L}+$" } }), "pattern"],
  ["litellm#40485: the same in a key", "openai", object({}, { patternProperties: { "^\\p{L}+$": {} } }), "pattern"],
  [
    "litellm#40485: a code point in braces",
    "openai",
    closed({ a: { type: "string", pattern: "\\u{1F600}" } }),
    "pattern",
    strict,
  ],
  ["litellm#40485: a named group", "openai", object({ a: { pattern: "^(?<year>\\d+)$" } }), "pattern"],
  [
    "Dokploy/mcp#45: look-ahead",
    "anthropic",
    closed({ a: { type: "string", pattern: "^(?=a).+$" } }),
    "pattern",
    strict,
  ],
  [
    "Dokploy/mcp#45: a back-reference",
    "anthropic",
    closed({ a: { type: "string", pattern: "(a)\\1" } }),
    "pattern",
    strict,
  ],
  [
    "Dokploy/mcp#45: a word boundary",
    "anthropic",
    closed({ a: { type: "string", pattern: "\\ba" } }),
    "pattern",
    strict,
  ],
  [
    "Dokploy/mcp#45: too many times",
    "anthropic",
    closed({ a: { type: "string", pattern: "a{1,1001}" } }),
    "pattern",
    strict,
  ],
  ["look-ahead in Gemini's Schema", "gemini-openapi", object({ a: { type: "STRING", pattern: "^(?=a)" } }), "pattern"],
  [
    "vercel/ai#19002: a reference that Gemini's Schema has no field for",
    "gemini-openapi",
    localeByReference,
    "keyword",
  ],
  ["vercel/ai#19002: the property is left without a type", "gemini-openapi", object({ locale: {} }), "typed"],
  ["langchainjs#8872: const and exclusiveMinimum in a union", "gemini-openapi", taggedUnion, "keyword"],
  [
    "langchainjs#9875: an empty entry in an enum",
    "gemini-openapi",
    object({ m: { type: "string", enum: ["", "on"] } }),
    "enum-empty",
  ],
  [
    "gemini-cli#4415: numbers in an enum",
    "gemini-openapi",
    object({ n: { type: "integer", enum: [60, 1440] } }),
    "enum-values",
  ],
  [
    "hermes-agent#14104: an enum of a type that is no string",
    "gemini-openapi",
    object({ n: { type: "integer", enum: ["60"] } }),
    "enum-type",
  ],
  ["openai-agents-python#449: an object without properties", "openai", { type: "object" }, "root-properties"],
  ["openai-agents-python#449: the same in Responses", "openai-responses", { type: "object" }, "root-properties"],
  ["mcp-digitalocean#265: an array without items", "openai", object({ a: { type: "array" } }), "array-items"],
  [
    "mcp-digitalocean#265: an array or null without items",
    "openai-responses",
    object({ a: { type: ["array", "null"] } }),
    "array-items",
  ],
  ["langchainjs#9804: a union at the root, OpenAI", "openai", oneOfTwo, "root-combinator"],
  ["claude-code#5973: a union at the root, Anthropic", "anthropic", oneOfTwo, "root-combinator"],
  [
    "langchainjs#9496: an open object under strict",
    "openai",
    object({ a: { type: "string" } }, { required: ["a"] }),
    "additional-properties",
    strict,
  ],
  [
    "langchainjs#9496: an optional property under strict",
    "openai",
    closed({ a: { type: "string" } }, { required: [] }),
    "required-all",
    strict,
  ],
  [
    "semantic-kernel#13527: a type that stands twice",
    "openai",
    closed({ a: { type: ["string", "null", "null"] } }),
    "type-duplicate",
    strict,
  ],
  [
    "semantic-kernel#13527: the same where nothing is strict",
    "openai",
    object({ a: { type: ["string", "null", "null"] } }),
    "metaschema",
  ],
  [
    "Dokploy/mcp#74: a boolean exclusiveMinimum",
    "anthropic",
    object({ n: { type: "integer", minimum: 0, exclusiveMinimum: true } }),
    "metaschema",
  ],
  [
    "ha-mcp#2361: a list of items, as draft 7 had it",
    "anthropic",
    object({ a: { type: "array", items: [{ type: "string" }] } }),
    "metaschema",
  ],
  ["composio#3500: a key with a dollar", "anthropic", object({ $top: { type: "integer" } }), "property-key"],
  ["composio#3500: a key with brackets", "anthropic", object({ "filter[id]": { type: "string" } }), "property-key"],
  [
    "studio#6874: a key of 70 characters",
    "anthropic",
    object({ ["k".repeat(70)]: { type: "string" } }),
    "property-key",
  ],
  [
    "composio#3500: the same key in Gemini's Schema",
    "gemini-openapi",
    object({ $top: { type: "integer" } }),
    "property-key",
  ],
  [
    "codex#8174: a name with a dot, Responses",
    "openai-responses",
    object({}),
    "name",
    { name: "calendar.createEvent" },
  ],
  ["codex#8174: a name with a dot, Chat", "openai", object({}), "name", { name: "calendar.createEvent" }],
  ["copilot-cli#1879: a name with a dot, Anthropic", "anthropic", object({}), "name", { name: "calendar.createEvent" }],
  ["5ire#403: a name of 65 characters", "openai", object({}), "name-length", { name: "n".repeat(65) }],
  [
    "pi#9953: bounds under Anthropic's strict",
    "anthropic",
    closed({ n: { type: "integer", minimum: 1, maximum: 9 } }),
    "bounds",
    strict,
  ],
  [
    "vercel/ai#20681: a nested object left open",
    "anthropic",
    closed({ o: object({}) }),
    "additional-properties",
    strict,
  ],
  ["ollama#10328: properties as a list", "ollama", object([]), "kind"],
  ["ollama#10328: no properties", "ollama", { type: "object" }, "missing"],
  [
    "langchainjs#11381: a reference with words beside it",
    "openai",
    closed({ s: { $ref: "#/$defs/S", description: "x", default: "all" } }, { $defs: { S: { type: "string" } } }),
    "reference-bare",
    strict,
  ],
  ["ollama-vscode#67: empty parameters", "ollama", {}, "root-type"],
  [
    "n8n#25964: a reference without its definitions, OpenAI",
    "openai",
    object({ f: { $ref: "#/$defs/F" } }),
    "reference",
  ],
  [
    "n8n#25964: a reference without its definitions, Anthropic",
    "anthropic",
    object({ f: { $ref: "#/$defs/F" } }),
    "reference",
  ],
  [
    "n8n#25964: a reference without its definitions, Gemini",
    "gemini",
    object({ f: { $ref: "#/$defs/F" } }),
    "reference",
  ],
  ["n8n#25964: a reference without its definitions, MCP", "mcp", object({ f: { $ref: "#/$defs/F" } }), "reference"],
  ["n8n#25964: a reference that Ollama has no field for", "ollama", { ...localeByReference, required: [] }, "dropped"],
  [
    "vercel/ai#6454: definitions anywhere but at the root",
    "openai",
    closed({ o: closed({ f: { $ref: "#/$defs/F" } }, { $defs: { F: { type: "string" } } }) }),
    "reference",
    strict,
  ],
  ["vercel/ai#4412: a branch of type null", "gemini-openapi", object({ a: { anyOf: [{ type: "null" }] } }), "type"],
  ["vercel/ai#4412: a list of types", "gemini-openapi", object({ b: { type: ["string", "null"] } }), "type-list"],
  ["vercel/ai#4412: a const", "gemini-openapi", object({ c: { type: "string", const: "x" } }), "keyword"],
  [
    "vercel/ai#4412: an exclusive bound",
    "gemini-openapi",
    object({ d: { type: "integer", exclusiveMinimum: 0 } }),
    "keyword",
  ],
  [
    "vercel/ai#19000: a field beside anyOf",
    "gemini-openapi",
    object({ a: { anyOf: [{ type: "string" }], description: "x" } }),
    "any-of-alone",
  ],
  [
    "copilot-cli#4623: items that may be null",
    "gemini",
    object({ a: { type: "array", items: { type: ["object", "null"] } } }),
    "items-nullable",
  ],
  [
    "kibana#286302: an enum that is named and not given",
    "gemini-openapi",
    object({ a: { type: "string", format: "enum", enum: [] } }),
    "enum-format",
  ],
  [
    "gemini-cli#14945: a cycle that no value can end",
    "gemini",
    object({ n: { $ref: "#/$defs/N" } }, { $defs: { N: object({ n: { $ref: "#/$defs/N" } }, { required: ["n"] }) } }),
    "recursion",
  ],
  ["opencode#46628: branches at the root with properties of their own", "anthropic", manyRoots, "root-combinator"],
  [
    "chatlas#255: a format that strict does not know",
    "openai",
    closed({ u: { type: "string", format: "uri" } }),
    "format",
    strict,
  ],
];

describe("a public fault of declarations is refused", () => {
  for (const [sentence, form, parameters, rule, declared] of faults) {
    it(sentence, () => {
      const breaches = checkTools(providerOf(form), listOf(form, parameters, declared));
      expect(breaches.map((breach) => breach.rule)).toContain(rule);
    });
  }

  it("open-webui#30046: a tool of Responses that does not say whether it is strict", () => {
    const breaches = checkTools("openai-responses", [{ type: "function", name: "look", parameters: object({}) }]);
    expect(breaches).toEqual([
      {
        tool: "look",
        path: "/strict",
        rule: "strict-unsaid",
        message: "Missing required parameter: 'tools[0].strict'.",
      },
    ]);
  });

  it("elizaOS#16499: more strict tools and optional parameters than one request of Anthropic takes", () => {
    const optional = closed(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`p${at}`, { type: "string" }])), {
      required: [],
    });
    const tools = Array.from({ length: 45 }, (_, at) =>
      listOf("anthropic", optional, { name: `t${at}`, strict: true }),
    ).flat();
    expect(checkTools("anthropic", tools).map(({ rule }) => rule)).toEqual(["budget-tools", "budget-optional"]);
  });

  it("ollama#14256: parameters outside of function", () => {
    const breaches = checkTools("ollama", [{ type: "function", function: { name: "look" }, parameters: object({}) }]);
    expect(breaches.map(({ rule, path }) => [rule, path])).toEqual([
      ["dropped", "/parameters"],
      ["missing", "/function/parameters"],
    ]);
  });
});
