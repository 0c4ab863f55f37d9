import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/access/keys.ts";
import type { CallRecord } from "../../../src/core/observer.ts";
import type { AppOptions } from "../../../src/http/app.ts";
import type { RegistryOptions } from "../../../src/core/registry/registry.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { mcpDoor } from "../../../src/mcp/http/door.ts";
import { callTool, type McpAnswer } from "../../mcp/messages.ts";
import { appOf, post, readAnswer } from "../app-in-memory.ts";
import { codes, resultsOf } from "./call-results.ts";

const unavailable = {
  code: "unavailable",
  message: 'The tools of the source "github" are not known yet. Try again in a moment.',
  action: "retry_later",
  retryable: true,
  ran: "no",
  retryAfterMs: 1000,
};

/** An app with a tool, and a source `github` that was never read. */
function unreadApp(options: Partial<AppOptions> = {}, registryOptions: RegistryOptions = {}) {
  const made = appOf([{ name: "git_log" }], { doors: [mcpDoor], ...options }, registryOptions);
  made.registry.replaceAll([{ source: "github", tools: [], unreadPrefix: "github_" }]);
  return made;
}

const rpcText = ({ message }: McpAnswer): string => JSON.stringify(message.result ?? message.error);

describe("a tool of a source that was never read", () => {
  it("is unavailable for now at an invoke, which has an id and is recorded", async () => {
    const records: CallRecord[] = [];
    const { app } = unreadApp({}, { observer: { onCall: (record) => void records.push(record) } });
    const headers = { "x-request-id": "r1" };
    const { status, headers: answered, body } = await post(app, "/tools/github_search/invoke", "{}", headers);
    expect([status, answered.get("toolhost-outcome")]).toEqual([200, "unavailable"]);
    expect(body).toEqual({ status: "error", callId: expect.stringMatching(/^[\w-]+$/) as string, error: unavailable });
    expect(records).toEqual([
      {
        callId: body.callId,
        tool: "github_search",
        source: "github",
        caller: "anonymous",
        code: "unavailable",
        ms: 0,
        requestId: "r1",
        isUnread: true,
      },
    ]);
  });

  it("counts against the rate of its caller, and adds no name to the metrics", async () => {
    const metrics = createMetrics(() => 0);
    const keys = [{ name: "slow", sha256: sha256("slow"), tools: ["*"], callsPerMinute: 2 }];
    const { app } = unreadApp({ auth: { keys } }, { observer: { onCall: metrics.onCall } });
    const call = async (name: string) =>
      (await post(app, `/tools/${name}/invoke`, "{}", { authorization: "Bearer slow" })).body.error;
    expect(await call("github_search")).toMatchObject({ code: "unavailable" });
    expect(await call("github_invented")).toMatchObject({ code: "unavailable" });
    expect(await call("github_search")).toMatchObject({ code: "rate_limited", ran: "no" });
    expect(metrics.text()).not.toContain("github");
    expect(metrics.text()).toContain('toolhost_calls_total{tool="other",code="unavailable"} 2');
    expect(metrics.text()).toContain('toolhost_calls_total{tool="other",code="rate_limited"} 1');
  });

  it("is unavailable as the outcome of a stream", async () => {
    const answer = await unreadApp().app.request("/tools/github_search/invoke", {
      method: "POST",
      headers: { accept: "text/event-stream" },
    });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toMatch(/^event: outcome\ndata: .*"unavailable"/m);
  });

  it("is unavailable until the operator changes it, if it is switched off", async () => {
    const { app } = unreadApp({}, { overrides: { "github_*": { enabled: false } } });
    const expected = { code: "unavailable", action: "stop", retryable: false, ran: "no" };
    const { body } = await post(app, "/tools/github_search/invoke", "{}");
    expect(body.error).toMatchObject(expected);
    expect((await readAnswer(await app.request("/tools/github_search"))).body.error).toMatchObject(expected);
  });

  it("does not hide what is wrong with the body of a call", async () => {
    const { status, body } = await post(unreadApp().app, "/tools/github_search/invoke", "{");
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: "bad_request" });
  });

  it("is 404 and unavailable for now as a declaration, and in no list", async () => {
    const { app } = unreadApp();
    const { status, body } = await readAnswer(await app.request("/tools/github_search"));
    expect([status, body]).toEqual([404, { status: "error", error: unavailable }]);
    expect(await (await app.request("/tools?source=github")).json()).toEqual({ tools: [] });
  });

  it("is unavailable for now in /calls, whatever the format", async () => {
    const { app } = unreadApp();
    const results = await resultsOf(app, [{ name: "github_search" }, { name: "git_log" }, { name: "gitlab_search" }]);
    expect(codes(results)).toEqual(["unavailable", "ok", "unknown_tool"]);
    const call = { id: "1", type: "function", function: { name: "github_search", arguments: "{}" } };
    const { body } = await post(app, "/calls?format=openai", JSON.stringify({ role: "assistant", tool_calls: [call] }));
    expect(body).toMatchObject({ results: [{ id: "1", name: "github_search", error: unavailable }] });
  });

  it.each([
    ["?source=github", "unavailable"],
    ["?names=github_search", "unavailable"],
    ["?names=github_search,git_log&source=github", "unavailable"],
    ["?tags=ours", "unavailable"],
    ["?tags=others", "unknown_tool"],
    ["?names=git_log", "unknown_tool"],
    ["?source=local", "unknown_tool"],
  ])("is known with %s as far as the query allows it", async (query, expected) => {
    const { app } = unreadApp({}, { overrides: { "github_*": { tags: ["ours"] } } });
    expect(codes(await resultsOf(app, [{ name: "github_search" }], query))).toEqual([expected]);
    const answer = await callTool(app, "modern", "github_search", {}, { path: `/mcp${query}` });
    expect(answer.message).toHaveProperty(expected === "unavailable" ? "result.isError" : "error.code");
  });

  it.each(["legacy", "modern"] as const)("is a result that a model reads over MCP (%s)", async (era) => {
    const { app } = unreadApp();
    const answer = await callTool(app, era, "github_search", {});
    expect(answer.message.result).toMatchObject({ isError: true });
    expect(rpcText(answer)).toContain("tools of the source");
    expect((await callTool(app, era, "gitlab_search", {})).message.error).toMatchObject({ code: -32602 });
  });

  it("does not exist for a caller that could not use it", async () => {
    const keys = [
      { name: "all", sha256: sha256("all"), tools: ["*"] },
      { name: "some", sha256: sha256("some"), tools: ["github_search"] },
      { name: "none", sha256: sha256("none"), tools: [] },
      { name: "others", sha256: sha256("others"), tools: ["git_*", "github_issues"] },
      // Nobody knows yet whether it is readOnly, unless the operator says so.
      { name: "reader", sha256: sha256("reader"), readOnly: true },
    ];
    const overrides = { github_read: { annotations: { readOnly: true } }, github_own: { bind: { o: { claim: "o" } } } };
    const { app } = unreadApp({ auth: { keys } }, { overrides });
    const code = async (key: string, name: string): Promise<string | undefined> => {
      const authorization = `Bearer ${key}`;
      const { body } = await post(app, `/tools/${name}/invoke`, "{}", { authorization });
      const declared = await readAnswer(await app.request(`/tools/${name}`, { headers: { authorization } }));
      expect(declared.body.error?.code).toBe(body.error?.code);
      const over = await callTool(app, "legacy", name, {}, { headers: { authorization } });
      expect(rpcText(over).includes("tools of the source")).toBe(body.error?.code === "unavailable");
      return body.error?.code;
    };
    expect(await code("all", "github_search")).toBe("unavailable");
    expect(await code("all", "github_own")).toBe("unknown_tool");
    expect(await code("some", "github_search")).toBe("unavailable");
    expect(await code("some", "github_issues")).toBe("unknown_tool");
    expect(await code("none", "github_search")).toBe("unknown_tool");
    expect(await code("others", "github_search")).toBe("unknown_tool");
    expect(await code("reader", "github_search")).toBe("unknown_tool");
    expect(await code("reader", "github_read")).toBe("unavailable");
  });

  it("does not exist if another source has a tool of its name that the caller may not use", async () => {
    const keys = [{ name: "git", sha256: sha256("git"), readOnly: true }];
    const { app, registry } = unreadApp({ auth: { keys } }, { overrides: {} });
    registry.replaceAll([{ source: "git", tools: [{ ...registry.find("git_log")!.tool, name: "github_search" }] }]);
    const { body } = await post(app, "/tools/github_search/invoke", "{}", { authorization: "Bearer git" });
    expect(body.error?.code).toBe("unknown_tool");
  });

  it.each(["github", `github_${"x".repeat(58)}`, "github_a.b", "GitHub_search"])("cannot be %s", async (name) => {
    const { body } = await post(unreadApp().app, `/tools/${name}/invoke`, "{}");
    expect(body.error?.code).toBe("unknown_tool");
  });

  it("is unknown once the source was read without it, or is gone", async () => {
    const { app, registry } = unreadApp();
    registry.replaceAll([{ source: "github", tools: [] }]);
    expect((await post(app, "/tools/github_search/invoke", "{}")).body.error?.code).toBe("unknown_tool");
  });
});
