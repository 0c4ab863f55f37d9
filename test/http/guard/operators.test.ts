import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SourceStatus } from "../../../src/core/source.ts";
import { appOf } from "../app-in-memory.ts";

const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");

const sourceOf = (name: string, tools: number): Omit<SourceStatus, "isRead"> => ({
  name,
  kind: "code",
  state: "ready",
  tools,
  skipped: [
    {
      name: "secret_tool",
      reason: "secret reason",
    },
  ],
  warnings: [
    {
      name: "secret_tool",
      message: "secret warning",
    },
  ],
});
const sources = [sourceOf("local", 2), sourceOf("other", 3)];

const { app } = appOf([{ name: "get_it" }, { name: "set_it" }, { name: "get_gone", requires: ["SECRET_VARIABLE"] }], {
  metrics: () => "the text\n",
  sources: () => sources.map((source) => ({ ...source, isRead: true })),
  apiKeys: ["plain"],
  auth: {
    keys: [
      { name: "whole", sha256: hashOf("whole") },
      { name: "scraper", sha256: hashOf("scraper"), tools: [], operator: true },
      { name: "some", sha256: hashOf("some"), tools: ["get_*"] },
      { name: "every", sha256: hashOf("every"), tools: ["*"] },
      { name: "none", sha256: hashOf("none"), tools: [] },
      { name: "reader", sha256: hashOf("reader"), readOnly: true },
    ],
  },
});

const get = (path: string, key: string, method = "GET"): Promise<Response> =>
  Promise.resolve(app.request(path, { method, headers: { authorization: `Bearer ${key}` } }));

describe("an operator", () => {
  it.each(["plain", "whole", "scraper"])("%s reads the metrics and all of the status", async (key) => {
    expect(await (await get("/metrics", key)).text()).toBe("the text\n");
    const status = await (await get("/status", key)).json();
    expect(status).toMatchObject({ sources, unavailable: [{ name: "get_gone" }] });
  });

  it("has no tool by being one", async () => {
    expect(await (await get("/tools", "scraper")).json()).toEqual({ tools: [] });
  });

  it("is everybody where there are neither keys nor tokens", async () => {
    const open = appOf([], {
      metrics: () => "the text\n",
      sources: () => sources.map((source) => ({ ...source, isRead: true })),
    }).app;
    expect((await open.request("/metrics")).status).toBe(200);
    expect(await (await open.request("/status")).json()).toMatchObject({ sources });
  });
});

describe("another caller", () => {
  it.each([
    ["some", [{ name: "local", kind: "code", state: "ready", tools: 1, skipped: [], warnings: [] }]],
    ["every", [{ name: "local", kind: "code", state: "ready", tools: 2, skipped: [], warnings: [] }]],
    ["none", []],
    ["reader", []],
  ])("%s reads of the sources of its tools alone", async (key, seen) => {
    const text = await (await get("/status", key)).text();
    expect(JSON.parse(text)).toEqual({
      version: expect.any(String),
      engine: { kind: "memory", state: "connected" },
      sources: seen,
      unavailable: [],
    });
    expect(text.toLowerCase()).not.toContain("secret");
  });

  it.each(["GET", "HEAD", "POST", "DELETE"])(
    "finds no metrics by %s, as there is nothing at another path",
    async (method) => {
      const [metrics, nothing] = await Promise.all([
        get("/metrics", "every", method),
        get("/no-such", "every", method),
      ]);
      expect([metrics.status, await metrics.text()]).toEqual([404, await nothing.text()]);
      expect([...metrics.headers.keys()]).toEqual([...nothing.headers.keys()]);
    },
  );
});
