import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { ToolError, UpstreamError } from "../../src/errors/errors.ts";
import { tool } from "../../tools/web_search/tool.ts";
import { readFolder } from "./folder-schemas.ts";
import { jsonAnswer, type Answer, type StandIn } from "./stand-ins/stand-in.ts";
import { found, startTavily, tavilyAnswers, tavilyKey } from "./stand-ins/tavily.ts";
import { failureOf, toolContext } from "./tool-context.ts";

let tavily: StandIn;
beforeAll(async () => {
  tavily = await startTavily();
});
beforeEach(() => {
  vi.stubEnv("TAVILY_BASE_URL", tavily.url);
  vi.stubEnv("TAVILY_API_KEY", tavilyKey);
  tavily.respondWith();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => tavily.close());

const search = (query: string) => tool.execute({ query }, toolContext());
const failureWith = (answer: Answer) => {
  tavily.respondWith(answer);
  return failureOf(search("kites"));
};
const answerWith = (...results: unknown[]) => jsonAnswer({ ...found("kites", 0), results });

describe("a search", () => {
  it("finds five pages that fit response.json", async () => {
    const result = await search("kites");
    expect(result.results).toHaveLength(5);
    expect(result.results[0]).toEqual({
      title: "Page 1",
      url: "https://pages.example/1",
      content: "What page 1 says about it.",
      score: 0.9,
    });
    expect(readFolder("web_search").response(result)).toBe(true);
  });

  it("finds as many as were asked for", async () => {
    const result = await tool.execute({ query: "kites", max_results: 10 }, toolContext());
    expect(result.results).toHaveLength(10);
  });

  it("may find nothing", async () => {
    expect(await search("nothing at all")).toEqual({ results: [] });
  });

  it("asks for no more than a basic search, which costs least", async () => {
    await search("kites");
    expect(JSON.parse(tavily.requests.at(-1)!.body)).toEqual({
      query: "kites",
      max_results: 5,
      search_depth: "basic",
    });
  });

  it("takes a base address that ends with a slash", async () => {
    vi.stubEnv("TAVILY_BASE_URL", `${tavily.url}/`);
    expect((await search("kites")).results).toHaveLength(5);
  });

  it("takes a key with a line end behind it, as secret files have", async () => {
    vi.stubEnv("TAVILY_API_KEY", `${tavilyKey}\n`);
    expect((await search("kites")).results).toHaveLength(5);
  });

  it("stays below 100 KB, and cuts between characters", async () => {
    const long = {
      url: "https://pages.example/",
      title: "語".repeat(5000),
      content: "🪁".repeat(20000),
    };
    tavily.respondWith(answerWith(...Array.from({ length: 12 }, () => long)));
    const result = await tool.execute({ query: "kites", max_results: 10 }, toolContext());
    expect(result.results).toHaveLength(10);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(100 * 1024);
    expect(result.results[0]?.content).toMatch(/^🪁+…$/u);
  });

  it("leaves out what has no web address", async () => {
    const page = { url: "https://pages.example/1", title: null, content: "text" };
    tavily.respondWith(answerWith({ ...page, url: "javascript:alert(1)" }, { title: "x" }, page));
    expect(await search("kites")).toEqual({
      results: [{ url: page.url, title: page.url, content: "text" }],
    });
  });
});

describe("a refused search", () => {
  it.each([tavilyAnswers.badRequest, tavilyAnswers.invalid])(
    "tells the model to change the query ($status)",
    async (answer) => {
      const failure = await failureWith(answer);
      expect(failure).toBeInstanceOf(ToolError);
      expect(failure).toMatchObject({
        retryable: false,
        message: expect.stringContaining("query"),
      });
    },
  );

  it("is one whose query is too long for the original", async () => {
    expect(await failureOf(search("k".repeat(401)))).toBeInstanceOf(ToolError);
  });

  it("is not sent where the query is blank", async () => {
    const before = tavily.requests.length;
    expect(await failureOf(search("  "))).toBeInstanceOf(ToolError);
    expect(tavily.requests).toHaveLength(before);
  });

  it.each([tavilyAnswers.wrongKey, tavilyAnswers.forbidden])(
    "names the key as the cause and never shows it ($status)",
    async (answer) => {
      const failure = await failureWith(answer);
      expect(failure).toBeInstanceOf(UpstreamError);
      expect(failure).toMatchObject({ status: answer.status, ran: "no" });
      expect((failure as Error).message).toContain("key");
      expect((failure as Error).message).not.toContain(tavilyKey);
    },
  );

  it("is what a wrong key gets", async () => {
    vi.stubEnv("TAVILY_API_KEY", "tvly-another");
    expect(await failureOf(search("kites"))).toMatchObject({ status: 401 });
  });

  it.each(["", "tvly-a\r\nx-injected: 1", "tvly-é"])("is not sent with the key %j", async (key) => {
    vi.stubEnv("TAVILY_API_KEY", key);
    const before = tavily.requests.length;
    const failure = await failureOf(search("kites"));
    expect(failure).toBeInstanceOf(ToolError);
    expect((failure as Error).message).not.toContain("tvly");
    expect(tavily.requests).toHaveLength(before);
  });
});

describe("a failing search service", () => {
  it("passes on how long to wait", async () => {
    const failure = await failureWith(tavilyAnswers.rateLimited);
    expect(failure).toBeInstanceOf(UpstreamError);
    expect(failure).toMatchObject({ status: 429, retryAfterMs: 7000 });
  });

  it.each([tavilyAnswers.planUsedUp, tavilyAnswers.payAsYouGoUsedUp])(
    "tells that its plan is used up ($status)",
    async (answer) => {
      const failure = await failureWith(answer);
      expect(failure).toBeInstanceOf(UpstreamError);
      expect(failure).toMatchObject({
        status: answer.status,
        message: expect.stringContaining("used up"),
      });
    },
  );

  it("tells its status", async () => {
    expect(await failureWith(tavilyAnswers.unavailable)).toMatchObject({
      name: "UpstreamError",
      status: 503,
    });
  });

  it.each([
    ["a page of HTML", tavilyAnswers.html],
    ["no results", jsonAnswer({ query: "kites" })],
    ["results of another shape", answerWith("page", 7)],
    ["more than can be kept", { body: " ".repeat(5_000_000) }],
  ])("may send %s", async (_, answer) => {
    const failure = await failureWith(answer);
    expect(failure).toBeInstanceOf(UpstreamError);
    expect(failure).toMatchObject({ status: 200 });
    expect((failure as Error).message).not.toContain("maintenance");
  });

  it("may break off in the middle", async () => {
    expect(await failureWith(tavilyAnswers.cutOff)).toBeInstanceOf(UpstreamError);
  });

  it("is left when the call's signal ends during the answer", async () => {
    tavily.respondWith({ ...jsonAnswer(found("kites", 5)), delayMs: 5000 });
    const reason = new Error("the caller left");
    const call = new AbortController();
    const failure = failureOf(tool.execute({ query: "kites" }, toolContext(call.signal)));
    setTimeout(() => call.abort(reason), 20);
    expect(await failure).toBe(reason);
  });
});
