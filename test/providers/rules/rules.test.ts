import { describe, expect, it } from "vitest";
import { checkTools } from "./check-tools.ts";
import { type Declared, type Form, listOf, providerOf } from "./declare.ts";

const object = (properties: unknown, more: object = {}) => ({ type: "object", properties, ...more });
const closed = (properties: object, more: object = {}) =>
  object(properties, { required: Object.keys(properties), additionalProperties: false, ...more });
const strict = { strict: true };
const strings = (count: number, length = 4) =>
  Array.from({ length: count }, (_, at) => String(at).padStart(length, "v"));
const keys = (count: number, length = 5) =>
  Object.fromEntries(strings(count, length).map((key) => [key, { type: "string" }]));
const nested = (levels: number): object => (levels === 0 ? { type: "string" } : closed({ in: nested(levels - 1) }));
const cyclic = closed(
  { n: { $ref: "#/$defs/N" } },
  { $defs: { N: closed({ next: { anyOf: [{ $ref: "#/$defs/N" }, { type: "null" }] } }) } },
);

/** What no public fault above needs: the rest of each provider's rules. */
const refused: readonly (readonly [
  sentence: string,
  form: Form,
  parameters: unknown,
  rule: string,
  declared?: Declared,
])[] = [
  ["OpenAI: a root that is no object", "openai", { type: "string" }, "root-type"],
  ["MCP: another draft", "mcp", object({}, { $schema: "http://json-schema.org/draft-07/schema#" }), "draft"],
  ["MCP: words of another draft", "mcp", object({ a: { items: [{}] } }), "metaschema"],
  ["OpenAI: not at the root", "openai", object({}, { not: {} }), "root-combinator"],
  [
    "OpenAI strict: a keyword outside of the subset",
    "openai",
    closed({ a: { oneOf: [{ type: "string" }] } }),
    "keyword",
    strict,
  ],
  [
    "OpenAI strict: a name that is required and not there",
    "openai",
    closed({}, { required: ["a"] }),
    "required",
    strict,
  ],
  ["OpenAI strict: a schema that says nothing", "openai", closed({ a: {} }), "typed", strict],
  ["OpenAI strict: a boolean schema", "openai", closed({ a: true }), "boolean-schema", strict],
  [
    "OpenAI strict: a reference at the root",
    "openai",
    { $ref: "#/$defs/A", $defs: { A: closed({}) } },
    "root-reference",
    strict,
  ],
  ["OpenAI strict: a reference by anchor", "openai", closed({ a: { $ref: "#a" } }), "reference", strict],
  ["OpenAI strict: 5,001 properties", "openai", closed(keys(5_001)), "limit-properties", strict],
  ["OpenAI strict: 11 levels", "openai", nested(11), "limit-levels", strict],
  ["OpenAI strict: over 120,000 characters of names", "openai", closed(keys(1_201, 100)), "limit-characters", strict],
  [
    "OpenAI strict: 1,001 enum values",
    "openai",
    closed({ a: { type: "string", enum: strings(1_001) } }),
    "limit-enum-values",
    strict,
  ],
  [
    "OpenAI strict: a long enum of over 15,000 characters",
    "openai",
    closed({ a: { type: "string", enum: strings(251, 60) } }),
    "limit-enum-characters",
    strict,
  ],
  ["Responses: properties that are no object", "openai-responses", object(null), "root-properties"],
  ["Anthropic: a root without a type", "anthropic", { properties: {} }, "root-type"],
  ["Anthropic: a name of 129 characters", "anthropic", object({}), "name", { name: "n".repeat(129) }],
  ["Anthropic strict: recursion", "anthropic", cyclic, "recursion", strict],
  [
    "Anthropic strict: two items at least",
    "anthropic",
    closed({ a: { type: "array", items: { type: "string" }, minItems: 2 } }),
    "min-items",
    strict,
  ],
  ["Anthropic strict: an object in an enum", "anthropic", closed({ a: { enum: [{}] } }), "enum-primitives", strict],
  [
    "Anthropic strict: a reference inside allOf",
    "anthropic",
    closed({ a: { allOf: [{ $ref: "#/$defs/A" }] } }, { $defs: { A: { type: "string" } } }),
    "all-of-reference",
    strict,
  ],
  [
    "Anthropic strict: a format outside of the list",
    "anthropic",
    closed({ a: { type: "string", format: "uri-reference" } }),
    "format",
    strict,
  ],
  ["Anthropic strict: a length", "anthropic", closed({ a: { type: "string", maxLength: 3 } }), "bounds", strict],
  [
    "Anthropic strict: a union by oneOf",
    "anthropic",
    closed({ a: { oneOf: [{ type: "string" }] } }),
    "keyword",
    strict,
  ],
  [
    "Anthropic strict: 25 optional parameters, nested ones counted",
    "anthropic",
    closed({ o: closed(keys(25), { required: [] }) }),
    "budget-optional",
    strict,
  ],
  [
    "Anthropic strict: 17 unions",
    "anthropic",
    closed(Object.fromEntries(strings(17).map((key) => [key, { type: ["string", "null"] }]))),
    "budget-unions",
    strict,
  ],
  ["Gemini: a name that begins with a digit", "gemini", object({}), "name", { name: "1st" }],
  ["Gemini: a root that is no object", "gemini", { type: "array", items: {} }, "root-type"],
  ["Gemini: a keyword outside of the list", "gemini", object({ a: { type: "string", pattern: "a" } }), "keyword"],
  [
    "Gemini: a description beside a reference",
    "gemini",
    object({ a: { $ref: "#/$defs/A", description: "x" } }, { $defs: { A: { type: "string" } } }),
    "reference-bare",
  ],
  ["Gemini: a boolean in an enum", "gemini", object({ a: { enum: [true] } }), "enum-values"],
  ["Gemini: an empty enum entry", "gemini", object({ a: { type: "string", enum: [""] } }), "enum-empty"],
  ["Gemini: a boolean schema", "gemini", object({ a: true }), "boolean-schema"],
  ["Gemini's Schema: a root that is no object", "gemini-openapi", { type: "string" }, "root-type"],
  ["Gemini's Schema: a type that is none", "gemini-openapi", object({ a: { type: "date" } }), "type"],
  [
    "Gemini's Schema: required names that are not there",
    "gemini-openapi",
    object({ a: { type: "string" } }, { required: ["b"] }),
    "required",
  ],
  ["Gemini's Schema: an array without items", "gemini-openapi", object({ a: { type: "array" } }), "array-items"],
  [
    "Gemini's Schema: a number format on an integer",
    "gemini-openapi",
    object({ a: { type: "integer", format: "double" } }),
    "format",
  ],
  [
    "Gemini's Schema: a length that is no whole number",
    "gemini-openapi",
    object({ a: { type: "string", maxLength: 1.5 } }),
    "field",
  ],
  [
    "Gemini's Schema: an order that misses a property",
    "gemini-openapi",
    object({ a: { type: "string" } }, { propertyOrdering: [] }),
    "property-ordering",
  ],
  ["Ollama: a type that is a number", "ollama", object({ a: { type: 1 } }), "kind"],
  ["Ollama: a boolean schema", "ollama", object({ a: true }), "kind"],
  ["Ollama: an enum that is no list", "ollama", object({ a: { enum: "x" } }), "kind"],
  ["Ollama: a bound that would be lost", "ollama", object({ a: { type: "integer", minimum: 1 } }), "dropped"],
  ["Ollama: a root closed, which would be lost", "ollama", closed({}), "dropped"],
  ["MCP: a root without a type", "mcp", { properties: {} }, "root-type"],
  ["MCP: a boolean property", "mcp", object({ a: true }), "boolean-schema"],
  ["MCP: properties as a list", "mcp", object([]), "properties"],
  ["MCP: a name with a space", "mcp", object({}), "name", { name: "look up" }],
  ["MCP: a type that is none", "mcp", object({ a: { type: "date" } }), "metaschema"],
];

describe("a rule is kept up", () => {
  for (const [sentence, form, parameters, rule, declared] of refused) {
    it(sentence, () => {
      const breaches = checkTools(providerOf(form), listOf(form, parameters, declared));
      expect(breaches.map((breach) => breach.rule)).toContain(rule);
    });
  }

  it.each([
    ["openai", 129, "count"],
    ["openai-responses", 129, "count"],
    ["gemini", 513, "count"],
  ] as const)("%s takes less than %i tools", (form, count, rule) => {
    const tools = manyOf(form, count);
    expect(checkTools(form, tools).map((breach) => breach.rule)).toEqual([rule]);
    expect(checkTools(form, manyOf(form, count - 1))).toEqual([]);
  });

  it.each(["openai", "openai-responses", "anthropic", "gemini", "ollama", "mcp"] as const)(
    "%s knows a field that is too much, and a name that stands twice",
    (form) => {
      const [first, second] = [...listOf(form, object({})), ...listOf(form, object({}))];
      const tools = form === "gemini" ? [twoDeclarations] : [first, second];
      expect(checkTools(form, tools).map(({ rule }) => rule)).toEqual(["duplicate-name"]);
      const extra = [{ ...(first as object), extra: 1 }];
      expect(checkTools(form, extra).map(({ path }) => path)).toEqual(["/extra"]);
    },
  );

  it("Gemini takes one tool with all functions, and one of the two schemas", () => {
    const [tool] = listOf("gemini", object({}));
    expect(checkTools("gemini", [tool, ...listOf("gemini", object({}), { name: "other" })])[0]?.rule).toBe("one-tool");
    const both = { name: "look", parameters: object({}), parametersJsonSchema: object({}) };
    expect(checkTools("gemini", [{ functionDeclarations: [both] }])[0]?.rule).toBe("one-schema");
  });

  it("says where, in the provider's words", () => {
    expect(checkTools("openai", listOf("openai", object({ "a/b": { type: "array" } })))).toEqual([
      {
        tool: "look",
        path: "/function/parameters/properties/a~1b",
        rule: "array-items",
        message: "Invalid schema for function 'look': In context=('properties', 'a/b'), array schema missing items.",
      },
    ]);
    expect(
      checkTools(
        "gemini",
        listOf("gemini-openapi", object({ a: { type: "string" }, b: { type: "string", const: 1 } })),
      ),
    ).toEqual([
      {
        tool: "look",
        path: "/parameters/properties/b",
        rule: "keyword",
        message:
          "Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[1].value': Cannot find field.",
      },
    ]);
  });
});

const twoDeclarations = {
  functionDeclarations: [
    { name: "look", parametersJsonSchema: object({}) },
    { name: "look", parametersJsonSchema: object({}) },
  ],
};

function manyOf(form: "openai" | "openai-responses" | "gemini", count: number): unknown[] {
  if (form !== "gemini") {
    return Array.from({ length: count }, (_, at) => listOf(form, object({}), { name: `t${at}` })).flat();
  }
  const functionDeclarations = Array.from({ length: count }, (_, at) => ({
    name: `t${at}`,
    parametersJsonSchema: object({}),
  }));
  return [{ functionDeclarations }];
}

/** Schemas whose properties and values have names that are keywords elsewhere. */
const hostileNames = object(
  { type: { type: "string" }, properties: { type: "string" }, required: { type: "string" }, items: { type: "string" } },
  { required: ["type"] },
);
const plain = object(
  {
    text: { type: "string", description: "What to look for." },
    mode: { type: "string", enum: ["fast", "deep"] },
    tags: { type: "array", items: { type: "string" } },
    place: object({ city: { type: "string" } }, { required: ["city"] }),
  },
  { required: ["text"] },
);
const allButOllama = ["openai", "openai-responses", "anthropic", "gemini", "mcp"] as const;
const all = [...allButOllama, "gemini-openapi", "ollama"] as const;

const accepted: readonly (readonly [
  sentence: string,
  forms: readonly Form[],
  parameters: unknown,
  declared?: Declared,
])[] = [
  ["an anchor in MCP", ["mcp"], object({ a: { $ref: "#a" } }, { $defs: { A: { $anchor: "a", type: "string" } } })],
  ["no parameters", all, object({})],
  ["plain parameters", all, plain],
  ["properties that are called as keywords are", all, hostileNames],
  [
    "a reference to a definition",
    allButOllama,
    object({ l: { $ref: "#/$defs/L" } }, { $defs: { L: { type: "string" } } }),
  ],
  [
    "a reference inside items, which Ollama passes on",
    ["ollama"],
    object({ l: { type: "array", items: { $ref: "#/$defs/L" } } }, { $defs: { L: { type: "string" } } }),
  ],
  [
    "recursion by an optional property",
    allButOllama,
    object({ n: { $ref: "#/$defs/N" } }, { $defs: { N: object({ n: { $ref: "#/$defs/N" } }) } }),
  ],
  [
    "a value that looks as a schema does",
    ["openai", "anthropic", "mcp"],
    object({ a: { default: { $ref: "#/nowhere", type: "array" }, enum: [{ type: "array" }] } }),
  ],
  ["nested unions", ["openai", "anthropic", "mcp"], object({ a: { oneOf: [{ type: "string" }, object({})] } })],
  [
    "an open object",
    ["openai", "anthropic", "gemini", "mcp"],
    object({ a: { type: "object", additionalProperties: { type: "string" } } }),
  ],
  [
    "what is closed and required",
    ["openai", "openai-responses", "anthropic"],
    closed({ a: { type: ["string", "null"] }, o: closed({}) }),
    strict,
  ],
  ["recursion under OpenAI's strict", ["openai", "openai-responses"], cyclic, strict],
  [
    "bounds, patterns, formats under OpenAI's strict",
    ["openai"],
    closed({
      a: { type: "integer", minimum: 1 },
      b: { type: "string", format: "date-time" },
      c: { type: "string", pattern: "^a" },
    }),
    strict,
  ],
  ["ten levels under OpenAI's strict", ["openai"], nested(10), strict],
  [
    "what is optional under Anthropic's strict",
    ["anthropic"],
    closed({ a: { type: "string", format: "uri" } }, { required: [] }),
    strict,
  ],
  [
    "one item at least under Anthropic's strict",
    ["anthropic"],
    closed({ a: { type: "array", items: { type: "string" }, minItems: 1 } }),
    strict,
  ],
  [
    "a union that stands alone in Gemini's Schema",
    ["gemini-openapi"],
    object({
      a: {
        anyOf: [
          { type: "STRING", nullable: true },
          { type: "INTEGER", minimum: 1 },
        ],
      },
    }),
  ],
  [
    "64-bit numbers as digits in Gemini's Schema",
    ["gemini-openapi"],
    object({ a: { type: "string", maxLength: "9" } }, { propertyOrdering: ["a"] }),
  ],
  [
    "lists of types and unions in Ollama",
    ["ollama"],
    object(
      { a: { type: ["string", "integer"] }, b: { anyOf: [{ type: "string" }, { type: "number" }] } },
      { required: [] },
    ),
  ],
];

describe("what is good is taken", () => {
  it.each(
    accepted.flatMap(([sentence, forms, parameters, declared]) =>
      forms.map((form) => [sentence, form, parameters, declared] as const),
    ),
  )("%s: %s", (_sentence, form, parameters, declared) => {
    expect(checkTools(providerOf(form), listOf(form, parameters, declared))).toEqual([]);
  });
});
