import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Declaration } from "../../../src/tool/declaration.ts";
import { toolOf } from "../../core/one-tool.ts";
import { prepareTool } from "../../../src/tool/prepared-tool.ts";
import { appOf, readAnswer } from "../app-in-memory.ts";

const tools = [
  { name: "send_mail", description: "Sends a letter.", tags: ["mail", "write"] },
  { name: "get_weather", title: "Weather", description: "The weather of a city.", tags: ["weather", "read"] },
  {
    name: "Zip",
    description: "Packs a file.",
    response: { type: "string" },
    annotations: { readOnly: true },
    timeoutMs: 500,
    strict: true,
    parameters: { type: "object", properties: { level: { type: "integer" }, path: { type: "string" } } },
  },
  { name: "get_mail", description: "Reads the letters.", tags: ["mail", "read"] },
  { name: "web_search", description: "Searches the web.", requires: ["UNSET_KEY"] },
];

async function namesOf(query: string): Promise<string[]> {
  const response = await appOf(tools).app.request(`/tools${query}`);
  expect(response.status, query).toBe(200);
  const body = (await response.json()) as { tools: Declaration[] };
  return body.tools.map(({ name }) => name);
}

describe("GET /tools", () => {
  it("lists the tools that can run by name, and none that cannot", async () => {
    expect(await namesOf("")).toEqual(["Zip", "get_mail", "get_weather", "send_mail"]);
  });

  it("tells of a tool what its declaration holds, and of its settings nothing else", async () => {
    const response = await appOf(tools).app.request("/tools?names=Zip,get_weather");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      tools: [
        {
          name: "Zip",
          description: "Packs a file.",
          parameters: { type: "object", properties: { level: { type: "integer" }, path: { type: "string" } } },
          response: { type: "string" },
          annotations: { readOnly: true },
          timeoutMs: 500,
          source: "local",
          hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        },
        {
          name: "get_weather",
          title: "Weather",
          description: "The weather of a city.",
          parameters: { type: "object" },
          response: {},
          tags: ["weather", "read"],
          timeoutMs: 10_000,
          source: "local",
          hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        },
      ],
    });
  });

  it.each([
    ["?names=send_mail,Zip", ["Zip", "send_mail"]],
    ["?names=send_mail,no_such_tool", ["send_mail"]],
    ["?names=web_search", []],
    ["?names=__proto__,constructor", []],
    ["?tags=mail", ["get_mail", "send_mail"]],
    ["?tags=weather,write", ["get_weather", "send_mail"]],
    ["?tags=Mail", []],
    ["?source=local&tags=read", ["get_mail", "get_weather"]],
    ["?source=elsewhere", []],
    ["?limit=2", ["Zip", "get_mail"]],
    ["?limit=100", ["Zip", "get_mail", "get_weather", "send_mail"]],
    ["?q=weather", ["get_weather"]],
    ["?q=level", ["Zip"]],
    ["?q=no+such+word", []],
    ["?q=mail&limit=1&tags=write", ["send_mail"]],
    ["?tags=read&names=get_mail,send_mail", ["get_mail"]],
    ["?names=get%5Fmail%2CZip", ["Zip", "get_mail"]],
    ["?format=toolhost&strict=false", ["Zip", "get_mail", "get_weather", "send_mail"]],
    ["?&limit=1&", ["Zip"]],
  ])("leaves with %s what was asked for", async (query, names) => {
    expect(await namesOf(query)).toEqual(names);
  });

  it("puts the best match of q first", async () => {
    expect(await namesOf("?q=send+mail")).toEqual(["send_mail", "get_mail"]);
  });

  it.each([
    "?name=Zip",
    "?nammes=Zip",
    "?__proto__=1",
    "?=1",
    "?names=Zip&names=Zip",
    "?names=Zip&%6eames=Zip",
    "?names=",
    "?tags=,",
    "?limit=0",
    "?limit=-1",
    "?limit=1.5",
    "?limit=ten",
    "?limit=",
    "?strict=yes",
    "?strict=true",
    "?schema=openapi",
    "?dialect=%FF",
    "?names=%FF",
    "?q=%E0%A4%A",
    "?q=%",
  ])("refuses %s", async (query) => {
    const { status, headers, body } = await readAnswer(await appOf(tools).app.request(`/tools${query}`));
    expect(status).toBe(400);
    expect(headers.get("toolhost-outcome")).toBe("bad_request");
    expect(body).toMatchObject({ status: "error", error: { code: "bad_request", retryable: false } });
  });

  it("names the parameter that was probably meant", async () => {
    const { body } = await readAnswer(await appOf(tools).app.request("/tools?limt=1"));
    expect(body.error?.message).toContain('Did you mean "limit"?');
    expect(body.error?.message).toContain('"limt"');
  });

  it("changes with the registry, its ETag too", async () => {
    const { app, registry } = appOf(tools);
    const list = async (): Promise<[string, string | null]> => {
      const response = await app.request("/tools?names=added,Zip");
      return [await response.text(), response.headers.get("etag")];
    };
    const [before, etagBefore] = await list();
    registry.add(toolOf({ name: "added" }));
    const [added, etagAdded] = await list();
    expect(added).toContain('"name":"added"');
    expect(etagAdded).not.toBe(etagBefore);
    registry.remove("added");
    expect(await list()).toEqual([before, etagBefore]);
  });

  it("answers HEAD as it answers GET, without the body", async () => {
    const { app } = appOf(tools);
    const [head, get] = [await app.request("/tools", { method: "HEAD" }), await app.request("/tools")];
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
  });
});

describe("the list in a cache", () => {
  it("may be kept by the caller alone, and asked for anew", async () => {
    const { headers } = await appOf(tools).app.request("/tools");
    expect(headers.get("vary")).toBe("Authorization, Accept-Encoding");
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("etag")).toMatch(/^(?:W\/)?"[\x21\x23-\x7e]+"$/);
  });

  it.each([
    ["its ETag", (etag: string) => etag],
    ["its ETag as a weak one", (etag: string) => `W/${etag.replace(/^W\//, "")}`],
    ["its ETag as a strong one", (etag: string) => etag.replace(/^W\//, "")],
    ["a list with it", (etag: string) => `"other", ${etag} , W/"another"`],
    ["*", () => "*"],
  ])("answers 304 without a body to %s", async (_title, ifNoneMatch) => {
    const { app } = appOf(tools);
    const etag = (await app.request("/tools")).headers.get("etag") ?? "";
    const response = await app.request("/tools", { headers: { "if-none-match": ifNoneMatch(etag) } });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe("");
    expect(response.headers.get("etag")).toBe(etag);
    expect(response.headers.get("vary")).toBe("Authorization, Accept-Encoding");
  });

  it.each(['"other"', 'W/"other"', "other", '"a", "b"', '"*"'])("answers 200 to the ETag %s", async (ifNoneMatch) => {
    const response = await appOf(tools).app.request("/tools", { headers: { "if-none-match": ifNoneMatch } });
    expect(response.status).toBe(200);
  });

  it("has another ETag for another query", async () => {
    const { app } = appOf(tools);
    const etag = (await app.request("/tools")).headers.get("etag") ?? "";
    const filtered = await app.request("/tools?limit=1", { headers: { "if-none-match": etag } });
    expect(filtered.status).toBe(200);
  });
});

describe("the list's encoding", () => {
  it.each(["gzip", "GZIP", "br, gzip", "gzip;q=0.5", "gzip; q=0.001, br", "*", "*;q=0.1", "gzip;q=1.0, identity;q=0"])(
    "is gzip for Accept-Encoding: %s",
    async (accepted) => {
      const { app } = appOf(tools);
      const response = await app.request("/tools", { headers: { "accept-encoding": accepted } });
      expect(response.headers.get("content-encoding")).toBe("gzip");
      expect(response.headers.get("vary")).toBe("Authorization, Accept-Encoding");
      const unpacked = gunzipSync(await response.arrayBuffer()).toString();
      expect(unpacked).toBe(await (await app.request("/tools")).text());
    },
  );

  it.each(["", "identity", "br", "gzip;q=0", "gzip;q=0.0", "gzip; q=0.000", "*;q=0", "gzip;q=0, *", "gzipped"])(
    "is none for Accept-Encoding: %s",
    async (accepted) => {
      const response = await appOf(tools).app.request("/tools", { headers: { "accept-encoding": accepted } });
      expect(response.headers.get("content-encoding")).toBeNull();
      expect(await response.json()).toHaveProperty("tools");
    },
  );
});

describe("a list of tools whose schemas are made when they are first read", () => {
  it.each(["", "?q=city", "?format=openai"])("lets calls have their turn (%s)", async (query) => {
    let turns = 0;
    const seen: number[] = [];
    const slowSchemas = () => {
      seen.push(turns);
      for (const end = performance.now() + 10; performance.now() < end;);
      return { parameters: { type: "object", properties: { city: {} } } };
    };
    const { app, registry } = appOf([]);
    const named = Array.from({ length: 20 }, (_, index) => ({ name: `t${index}`, description: "A tool." }));
    registry.replace(
      "api",
      named.map((fields) => prepareTool({ ...fields, hasResponse: false, schemas: slowSchemas, execute: () => 1 })),
      { trusted: false },
    );
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    count();
    const response = await app.request(`/tools${query}`);
    isDone = true;
    expect(((await response.json()) as { tools: unknown[] }).tools).toHaveLength(20);
    expect(seen).toHaveLength(20);
    // 200 ms of work in turns of 20 ms, each of which may last one schema longer.
    expect(new Set(seen).size).toBeGreaterThan(4);
  });
});
