import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/tool/tool.ts";
import type { JsonObject } from "../../../src/json/object.ts";
import { dialectNames } from "../../../src/dialects/dialects.ts";
import { appOf, readAnswer } from "../app-in-memory.ts";

interface List {
  readonly tools: JsonObject[];
  readonly warnings: JsonObject[];
}

const tools: Partial<Tool>[] = [
  { name: "plain", tags: ["a"], parameters: { type: "object", properties: { q: { type: "string", pattern: "^a" } } } },
  { name: "strict", strict: true, parameters: { type: "object", properties: {}, additionalProperties: false } },
];

async function listOf(query: string, app = appOf(tools).app): Promise<List> {
  const response = await app.request(`/tools${query}`);
  expect(response.status, query).toBe(200);
  return (await response.json()) as List;
}

describe("GET /tools?format=", () => {
  it.each(dialectNames)("lists in %s", async (format) => {
    const { tools: declared, warnings } = await listOf(`?format=${format}`);
    const text = JSON.stringify(declared);
    expect(text.match(/"name":"(?:plain|strict)"/g)).toHaveLength(2);
    expect(Array.isArray(warnings)).toBe(true);
  });

  it("tells of each loss where it is and what it means", async () => {
    const { warnings } = await listOf("?format=gemini");
    expect(warnings).toEqual([
      {
        tool: "plain",
        path: "/properties/q",
        kind: "widened",
        message: '"pattern" is mentioned in the description only.',
      },
    ]);
  });

  it("holds only the tools that were asked for", async () => {
    const { tools: declared } = await listOf("?format=anthropic&tags=a");
    expect(declared.map((tool) => tool["name"])).toEqual(["plain"]);
    expect((await listOf("?format=gemini&names=none")).tools).toEqual([]);
    expect((await listOf("?format=openai&limit=1")).tools).toHaveLength(1);
  });

  it("asks for strict schemas where the list or the tool does", async () => {
    const flags = async (query: string) => (await listOf(query)).tools.map((tool) => tool["strict"]);
    expect(await flags("?format=openai-responses")).toEqual([false, true]);
    expect(await flags("?format=openai-responses&strict=true")).toEqual([true, true]);
  });

  it("has two forms for Gemini", async () => {
    const keysOf = async (query: string) => {
      const [tool] = (await listOf(query)).tools;
      return Object.keys((tool?.["functionDeclarations"] as JsonObject[] | undefined)?.[0] ?? {});
    };
    expect(await keysOf("?format=gemini")).toContain("parametersJsonSchema");
    expect(await keysOf("?format=gemini&schema=json")).toContain("parametersJsonSchema");
    expect(await keysOf("?format=gemini&schema=openapi")).toContain("parameters");
  });

  it.each([
    ["?format=yaml", `must be one of ${["toolhost", ...dialectNames].join(", ")}`],
    ["?format=__proto__", "must be one of"],
    ["?format=openai&schema=openapi", "requires format=gemini"],
    ["?schema=openapi", "requires format=gemini"],
    ["?format=gemini&schema=proto", "must be json or openapi"],
    ["?format=toolhost&strict=true", "requires a provider's format"],
    ["?format=openai&strict=yes", "must be true or false"],
    ["?format=openai&limit=0", "whole number"],
  ])("refuses %s", async (query, words) => {
    const { status, body } = await readAnswer(await appOf(tools).app.request(`/tools${query}`));
    expect(status).toBe(400);
    expect(body.error?.message).toContain(words);
  });

  it("has an ETag, which holds for as long as the list does", async () => {
    const { app, registry } = appOf(tools);
    const etagOf = async (): Promise<string> => (await app.request("/tools?format=openai")).headers.get("etag") ?? "";
    const etag = await etagOf();
    expect(etag).toMatch(/^W\/".{22}"$/);
    expect(await etagOf()).toBe(etag);
    const unchanged = await app.request("/tools?format=openai", { headers: { "if-none-match": etag } });
    expect(unchanged.status).toBe(304);
    registry.replace("local", []);
    expect(await etagOf()).not.toBe(etag);
  });
});
