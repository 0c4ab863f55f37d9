import { describe, expect, onTestFinished, test } from "vitest";
import { invoke } from "../../src/core/call/invoke.ts";
import { createRegistry } from "../../src/core/registry/registry.ts";
import { sourceKinds } from "../../src/sources/source-kinds.ts";
import { createSources } from "../../src/sources/sources.ts";
import { toolNames, toolPrefix } from "../../src/sources/tool-names.ts";
import { scriptedServer } from "./scripted-source.ts";

const network = { fetch, bases: new Map<string, string>(), onOutput: () => undefined };

describe("the beginning of the names of a source's tools", () => {
  test("is known of a document and of an MCP server before they are read, and of a folder there is none", async () => {
    const { folder, openapi, mcp } = sourceKinds;
    expect((await openapi.load()).open("my.api", { openapi: "/pets.yaml" }, network).toolPrefix).toBe("my_api_");
    expect((await mcp.load()).open("git-hub", { mcp: { url: "http://localhost:1" } }, network).toolPrefix).toBe(
      "git-hub_",
    );
    expect((await folder.load()).open("tools", { folder: "/tools" }, network).toolPrefix).toBeUndefined();
  });

  test.each(["a", "my.api", "x".repeat(54), "x".repeat(55), "x".repeat(64)])("is that of each of %s", (source) => {
    const names = toolNames(["a", "a.b", "a/b", "y".repeat(80)].map((own) => `${source}_${own}`));
    for (const name of names) expect(name.startsWith(toolPrefix(source)), name).toBe(true);
  });
});

describe("a tool of a source that cannot be read", () => {
  function start() {
    const registry = createRegistry();
    const sources = createSources({ registry, firstRetryMs: 1, longestRetryMs: 5 });
    onTestFinished(() => sources.close(1000));
    const code = async (name: string): Promise<string> => {
      const outcome = await invoke(registry, { name, arguments: {} });
      return outcome.status === "ok" ? "ok" : outcome.error.code;
    };
    return { sources, registry, code };
  }

  test.each(["hangs", "fails"] as const)("is unavailable while its first read %s, and known after it", async (mode) => {
    const { sources, registry, code } = start();
    const server = scriptedServer("github_search");
    server.mode = mode;
    const open = () => server.open({ name: "github", toolPrefix: "github_" });
    await sources.configure([{ key: "github", open }]);
    expect(await code("github_search")).toBe("unavailable");
    server.mend();
    await expect.poll(() => registry.list().length, { timeout: 10_000 }).toBe(1);
    expect(await code("github_search")).toBe("ok");
    expect(await code("github_other")).toBe("unknown_tool");
    server.mode = "fails";
    await sources.configure([{ key: "github", open }], { waitsFor: "all" });
    expect(sources.status()[0]?.state).toBe("failed");
    expect([await code("github_search"), await code("github_other")]).toEqual(["ok", "unknown_tool"]);
    await sources.configure([]);
    expect(await code("github_search")).toBe("unknown_tool");
  });

  test("is unknown while another source of the name serves in its place", async () => {
    const { sources, code } = start();
    const before = scriptedServer("github_search");
    const after = scriptedServer("github_search", "github_other");
    const open = (server: typeof before) => () => server.open({ name: "github", toolPrefix: "github_" });
    await sources.configure([{ key: "1", open: open(before) }], { waitsFor: "all" });
    after.mode = "hangs";
    await sources.configure([{ key: "2", open: open(after) }]);
    expect([await code("github_search"), await code("github_other")]).toEqual(["ok", "unknown_tool"]);
    after.mend();
    await expect.poll(() => code("github_other"), { timeout: 10_000 }).toBe("ok");
  });
});
