import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/json/object.ts";
import { createCheck } from "../../src/schema/check.ts";
import { declareTools } from "../../src/dialects/declarations.ts";
import { dialects } from "../../src/dialects/dialects.ts";
import { createApp, createRegistry } from "../../src/index.ts";
import { toolOf } from "../core/one-tool.ts";
import { objectsIn } from "../providers/conversation.ts";
import { checkTools } from "../providers/rules/check-tools.ts";
import { type Form, providerOf } from "../providers/rules/declare.ts";

const node = {
  type: "object",
  title: "Node",
  properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
  required: ["name"],
};

/** pydantic/pydantic-ai#1017: how Pydantic, zod's `.meta({ id })` and others write a recursive model. */
const roots: Readonly<Record<string, JsonObject>> = {
  "a definition": { $ref: "#/$defs/Node", $defs: { Node: node } },
  "draft-07's definitions": JSON.parse(
    JSON.stringify({
      $schema: "http://json-schema.org/draft-07/schema#",
      $ref: "#/definitions/Node",
      definitions: { Node: node },
    }).replaceAll("#/$defs/", "#/definitions/"),
  ) as JsonObject,
  "a chain": { $ref: "#/$defs/Root", $defs: { Root: { $ref: "#/$defs/Node" }, Node: node } },
  "words beside it": { $ref: "#/$defs/Node", description: "A tree.", title: "Tree", $defs: { Node: node } },
  "keywords beside it": { $ref: "#/$defs/Node", required: ["children"], maxProperties: 2, $defs: { Node: node } },
  "an escaped name": { $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": node, Node: node } },
  "an anchor": { $ref: "#tree", $defs: { Node: { ...node, $anchor: "tree" } } },
};

const forms: readonly Form[] = ["openai", "openai-responses", "anthropic", "gemini", "gemini-openapi", "ollama", "mcp"];

describe.each(Object.entries(roots))("parameters that refer to %s", (_sentence, parameters) => {
  const good = { name: "a", children: [{ name: "b" }] };

  it("are taken, and checked as they are", () => {
    const registry = createRegistry({ tools: [toolOf({ parameters })], env: {} });
    expect(registry.list()).toHaveLength(1);
    expect(createCheck(parameters).accepts(good)).toBe(true);
    expect(createCheck(parameters).accepts({ children: [{}] })).toBe(false);
  });

  it.each(forms.flatMap((form) => [false, true].map((strict) => ({ form, strict }))))(
    "are an object for the provider: $form, strict: $strict",
    ({ form, strict }) => {
      const schema = form === "gemini-openapi" ? "openapi" : "json";
      const tool = { name: "look", description: "Looks.", parameters };
      const { tools } = declareTools(dialects[providerOf(form)], [tool], { strict, schema });
      expect(checkTools(providerOf(form), tools)).toEqual([]);
      const [first = {}] = objectsIn(tools[0]?.["functionDeclarations"] ?? tools);
      const own = (first["function"] ?? first) as JsonObject;
      const declared = (own["parameters"] ??
        own["parametersJsonSchema"] ??
        own["input_schema"] ??
        own["inputSchema"]) as JsonObject;
      expect(String(declared["type"]).toLowerCase()).toBe("object");
      if (!(form === "mcp" && "required" in parameters)) {
        expect(Object.keys(declared["properties"] as JsonObject)).toEqual(["name", "children"]);
      }
      if (form === "mcp" || (form === "openai" && !strict)) expect(createCheck(declared).accepts(good)).toBe(true);
      if (form === "mcp") expect(createCheck(declared).accepts({ children: [{}] })).toBe(false);
    },
  );

  it("are an object in the document of all tools", async () => {
    const { request } = createApp({ registry: createRegistry({ tools: [toolOf({ parameters })], env: {} }) });
    const document = (await (await request("/openapi.json")).json()) as { components: { schemas: JsonObject } };
    const own = Object.entries(document.components.schemas).filter(([name]) => name.endsWith("Arguments"));
    expect(own).toMatchObject([[expect.any(String), { type: "object" }]]);
  });
});

describe("the mcp format", () => {
  const older: readonly JsonObject[] = [
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "string" }, { $ref: "#/definitions/n" }], additionalItems: false },
        again: { $ref: "#/properties/pair/items/0" },
      },
      dependencies: { pair: ["again"], again: { required: ["pair"] } },
      definitions: { n: { $id: "#n", type: "number" } },
    },
    {
      $schema: "http://json-schema.org/draft-04/schema#",
      type: "object",
      properties: {
        pair: { items: [{ type: "string" }, { minimum: 0, exclusiveMinimum: true }], additionalItems: false },
        again: { type: "string" },
      },
      dependencies: { pair: ["again"] },
    },
  ];

  it.each(older)("is 2020-12, whatever the draft of the tool", (parameters) => {
    const tool = { name: "look", description: "Looks.", parameters, response: parameters };
    const { tools, warnings } = declareTools(dialects.mcp, [tool], { strict: false, schema: "json" });
    expect(warnings).toEqual([]);
    expect(checkTools("mcp", tools)).toEqual([]);
    const own = createCheck(parameters);
    for (const field of ["inputSchema", "outputSchema"]) {
      const told = createCheck({ ...(tools[0]?.[field] as JsonObject) });
      for (const pair of [["a", 1], ["a", 0], [1, 1], ["a", 1, 2], ["a"], undefined]) {
        for (const again of ["a", 1, undefined]) {
          const value = JSON.parse(JSON.stringify({ pair, again })) as unknown;
          expect(told.accepts(value)).toBe(own.accepts(value));
        }
      }
    }
  });
});
