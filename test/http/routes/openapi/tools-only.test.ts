import { createHash } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../../../src/tool/tool.ts";
import type { AppOptions } from "../../../../src/http/app.ts";
import type { JsonObject } from "../../../../src/json/object.ts";
import { appOf } from "../../app-in-memory.ts";
import { importTools, type ImportedDocument } from "./simple-importer.ts";

const weather: Partial<Tool> = {
  name: "get_weather",
  title: "Weather",
  description: "The weather of a city.",
  tags: ["weather", "cities"],
  annotations: { readOnly: true },
  parameters: {
    type: "object",
    properties: { city: { type: "string", description: "Its name." }, days: { $ref: "#/$defs/days" } },
    required: ["city"],
    $defs: { days: { type: "integer", minimum: 1 } },
  },
  response: { type: "object", properties: { degrees: { type: "number" } } },
};
const tree: Partial<Tool> = {
  name: "plant-Tree",
  tags: ["Calls"],
  parameters: {
    type: "object",
    properties: { label: true, never: false, list: { type: "array", items: true }, child: { $ref: "#" } },
  },
};
const search: Partial<Tool> = {
  name: "search",
  parameters: { type: "object", properties: { hash: { type: "string" } } },
};
const tools = [weather, tree, search];

interface Document extends ImportedDocument {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

async function read(query = "only=tools", options: Partial<AppOptions> = {}, headers = {}): Promise<Document> {
  const answer = await appOf(tools, { metrics: () => "", ...options }).app.request(`/openapi.json?${query}`, {
    headers,
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Document;
}

describe("/openapi.json?only=tools", () => {
  it("has the operations of the tools alone, called as the tools", async () => {
    const document = await read();
    const operations = Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item)]);
    expect(operations).toEqual([
      ["/tools/get_weather/invoke", ["post"]],
      ["/tools/plant-Tree/invoke", ["post"]],
      ["/tools/search/invoke", ["post"]],
    ]);
    const ids = Object.values(document.paths).map((item) => item["post"]!.operationId);
    expect(ids).toEqual(["get_weather", "plant-Tree", "search"]);
  });

  it("is imported by a reader that follows references among schemas only, and only where it must", async () => {
    const imported = importTools(await read());
    expect(imported).toEqual([
      {
        name: "get_weather",
        description: "The weather of a city.",
        parameters: {
          type: "object",
          properties: { city: { type: "string", description: "Its name." }, days: { type: "integer", minimum: 1 } },
          required: ["city"],
        },
      },
      {
        name: "plant-Tree",
        description: "A tool of the tests.",
        parameters: {
          type: "object",
          properties: { label: {}, never: { not: {} }, list: { type: "array", items: {} }, child: expect.anything() },
          required: [],
        },
      },
      {
        name: "search",
        description: "A tool of the tests.",
        parameters: { type: "object", properties: { hash: { type: "string" } }, required: [] },
      },
    ]);
  });

  it("runs what a reader imported", async () => {
    const { app } = appOf(tools, { hosts: ["localhost"] });
    const answered = await app.request("http://localhost:8080/openapi.json?only=tools");
    const { servers, paths } = (await answered.json()) as Document;
    const [path] = Object.entries(paths).find(([, item]) => item["post"]!.operationId === "get_weather")!;
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"city":"Oslo"}' };
    const answer = await app.request(`${servers[0]!.url}${path}`, init);
    expect(await answer.json()).toMatchObject({ status: "ok", result: { city: "Oslo" } });
  });

  it("has the components that it refers to and no others", async () => {
    const { components, ...rest } = await read();
    const referred = new Set<string>();
    const visit = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      const ref = (node as JsonObject)["$ref"];
      if (typeof ref === "string") referred.add(ref);
      Object.values(node).forEach(visit);
    };
    visit([rest, components]);
    const present = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    expect(present.filter((ref) => !ref.includes("securitySchemes")).sort()).toEqual([...referred].sort());
    expect(Object.keys(components["securitySchemes"]!)).toEqual(["bearer"]);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...rest, components }, "document");
    for (const name of Object.keys(components["schemas"]!)) {
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` }), name).not.toThrow();
    }
  });

  it("has every answer of a call, typed", async () => {
    const whole = await read("");
    const { paths } = await read();
    const path = "/tools/get_weather/invoke";
    expect(paths[path]!["post"]!["responses"]).toEqual(whole.paths[path]!["post"]!["responses"]);
  });

  it.each([
    ["names=search,get_weather", ["get_weather", "search"]],
    ["tags=cities,none", ["get_weather"]],
    ["source=local&names=search", ["search"]],
    ["source=elsewhere", []],
    ["names=none", []],
  ])("takes %s, with and without only", async (query, names) => {
    const paths = names.map((name) => `/tools/${name}/invoke`);
    expect(Object.keys((await read(`only=tools&${query}`)).paths)).toEqual(paths);
    const whole = Object.keys((await read(query)).paths);
    expect(whole.filter((path) => /^\/tools\/[^{/]+\/invoke$/.test(path))).toEqual(paths);
    expect(whole).toContain("/status");
  });

  it.each(["only=", "only=all", "only=tools&only=tools", "only=tools&limit=1", "names="])(
    "refuses %s",
    async (query) => {
      const answer = await appOf(tools).app.request(`/openapi.json?${query}`);
      expect(answer.status).toBe(400);
    },
  );

  it("shows a caller what it may use, whoever asked before", async () => {
    const keys = [
      { name: "all", sha256: sha256("all") },
      { name: "reader", sha256: sha256("reader"), readOnly: true },
      { name: "searcher", sha256: sha256("searcher"), tools: ["sea*"] },
      { name: "nothing", sha256: sha256("nothing"), tools: [] },
    ];
    const { app } = appOf(tools, { auth: { keys } });
    const seenBy = async (key: string, query: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const text = await (await app.request(`/openapi.json?${query}`, { headers })).text();
      return ["get_weather", "plant-Tree", "search"].filter((name) => text.includes(`/tools/${name}/invoke`));
    };
    for (const query of ["only=tools", "only=tools&source=local", ""]) {
      expect(await seenBy("all", query)).toEqual(["get_weather", "plant-Tree", "search"]);
      expect(await seenBy("reader", query)).toEqual(["get_weather"]);
      expect(await seenBy("searcher", query)).toEqual(["search"]);
      expect(await seenBy("nothing", query)).toEqual([]);
    }
    expect((await app.request("/openapi.json?only=tools")).status).toBe(401);
  });

  it("follows the registry, and keeps no more documents than a few, whatever is asked", async () => {
    const { app, registry } = appOf(tools);
    const names = async (query: string) => {
      const document = (await (await app.request(`/openapi.json?${query}`)).json()) as Document;
      return Object.keys(document.paths).length;
    };
    expect(await names("only=tools")).toBe(3);
    for (let index = 0; index < 40; index++) expect(await names(`only=tools&names=search,n${index}`)).toBe(1);
    registry.remove("search");
    expect(await names("only=tools")).toBe(2);
    expect(await names("only=tools&names=search,n39")).toBe(0);
  });
});

describe("the tags of tools", () => {
  it("are declared, each once, beside those of the service", async () => {
    const tags = (document: Document) => document.tags.map(({ name }) => name);
    expect(tags(await read(""))).toEqual(["Tools", "Calls", "Workers", "Service", "cities", "weather"]);
    expect(tags(await read())).toEqual(["Calls", "cities", "weather"]);
  });
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
