import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startService } from "../http/running-service.ts";
import { temporaryFolder } from "../cli/toolhost.ts";

const within = { timeout: 5000, interval: 20 };

function writeTool(folder: string, name: string, result: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(folder, name, "tool.mjs"),
    `export const tool = { name: "${name}", description: "A tool.", parameters: { type: "object" }, execute: async ({ ms = 0 }) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return "${result}";
    } };`,
  );
}

/** A service with a configuration file and a folder of tools that the test may change. */
async function start(lines: readonly string[] = []) {
  const folder = temporaryFolder();
  const tools = join(folder, "tools");
  const file = join(folder, "toolhost.yaml");
  const configure = (more: readonly string[]): void =>
    writeFileSync(file, ["tools:", "  - folder: ./tools", ...more, ""].join("\n"));
  writeTool(tools, "one", "first");
  configure(lines);
  const service = await startService({ TOOLHOST_CONFIG: file, TOOLHOST_TOOLS: "", LOG_LEVEL: "info" });
  const invoke = async (name: string, args = {}, headers: Record<string, string> = {}) => {
    const response = await service.request(`/tools/${name}/invoke`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(args),
    });
    return (await response.json()) as { result?: unknown; error?: { code: string } };
  };
  return { service, tools, configure, invoke };
}

describe("a service whose files change", () => {
  test("takes over tools that change, come and go, and no running call notices", async () => {
    const { invoke, tools } = await start();
    expect(await invoke("one")).toMatchObject({ result: "first" });
    const running = invoke("one", { ms: 1500 });
    writeTool(tools, "one", "second");
    writeTool(tools, "two", "new");
    await vi.waitFor(async () => expect(await invoke("two")).toMatchObject({ result: "new" }), within);
    await vi.waitFor(async () => expect(await invoke("one")).toMatchObject({ result: "second" }), within);
    expect(await running).toMatchObject({ result: "first" });
  });

  test("takes over overrides and keys", async () => {
    const { invoke, configure } = await start(["overrides: { one: { timeoutMs: 5000 } }"]);
    expect(await invoke("one", { ms: 60 })).toMatchObject({ result: "first" });
    const hash = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"; // of "key"
    configure(["overrides: { one: { timeoutMs: 20 } }", `auth: { keys: [{ name: a, sha256: ${hash} }] }`]);
    await vi.waitFor(
      async () => expect(await invoke("one")).toMatchObject({ error: { code: "unauthorized" } }),
      within,
    );
    const slow = () => invoke("one", { ms: 60 }, { authorization: "Bearer key" });
    await vi.waitFor(async () => expect(await slow()).toMatchObject({ error: { code: "timeout" } }), within);
  });

  test("goes on as it was where the file is wrong, and says what is", async () => {
    const { invoke, configure, service } = await start();
    configure(["limits: { queuMs: 5 }"]);
    await vi.waitFor(() => {
      const told = service.entries.map(({ problem }) => String(problem)).join("\n");
      expect(told).toMatch(/queuMs.*queueMs/);
    }, within);
    expect(await invoke("one")).toMatchObject({ result: "first" });
  });

  test("is not ended by a SIGHUP that comes while it starts, and reads again when it has", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "tools/early"), { recursive: true });
    const starting = join(folder, "starting");
    const signalled = join(folder, "signalled");
    writeFileSync(
      join(folder, "tools/early/tool.mjs"),
      `import { existsSync, renameSync, writeFileSync } from "node:fs";
      const starting = ${JSON.stringify(starting)};
      writeFileSync(starting + ".part", String(process.pid));
      renameSync(starting + ".part", starting);
      while (!existsSync(${JSON.stringify(signalled)})) await new Promise((resolve) => setTimeout(resolve, 10));
      export const tool = { name: "early", description: "A tool.", parameters: { type: "object" }, execute: () => 1 };`,
    );
    const started = startService({ TOOLHOST_TOOLS: join(folder, "tools"), LOG_LEVEL: "info" });
    const pid = await vi.waitFor(() => Number(readFileSync(starting, "utf8")), within);
    process.kill(pid, "SIGHUP");
    writeFileSync(signalled, "");
    const service = await started;
    await vi.waitFor(
      () => expect(service.entries.map(({ msg }) => msg)).toContain("configuration and tools were read again"),
      within,
    );
  });

  test("leaves a key what it has used of its allowance, and refuses a file that is emptied", async () => {
    const hash = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"; // of "key"
    const auth = `auth: { keys: [{ name: agent-a, sha256: ${hash}, callsPerMinute: 2 }] }`;
    const { invoke, service, configure } = await start([auth]);
    const asked = (): Promise<unknown> => invoke("one", {}, { authorization: "Bearer key" });
    for (let call = 0; call < 2; call++) expect(await asked()).toMatchObject({ result: "first" });
    expect(await asked()).toMatchObject({ error: { code: "rate_limited" } });
    configure([auth, "limits: { queueMs: 5 }"]);
    await vi.waitFor(() => expect(service.log).toContain("were read again"), within);
    expect(await asked()).toMatchObject({ error: { code: "rate_limited" } });
    configure([]);
    await vi.waitFor(() => expect(service.log).toContain("auth contains neither keys nor jwt any more"), within);
    expect(await invoke("one")).toMatchObject({ error: { code: "unauthorized" } });
    expect(service.entries.filter(({ level }) => level === "error")).toHaveLength(1);
    const callers = service.entries.filter(({ msg }) => msg === "call").map(({ caller }) => caller);
    expect(new Set(callers)).toEqual(new Set(["agent-a"]));
  });

  test("reads again when it is told to by SIGHUP", async () => {
    const { invoke, service } = await start();
    service.signal("SIGHUP");
    await vi.waitFor(() => {
      expect(service.entries.some(({ msg }) => msg === "configuration and tools were read again")).toBe(true);
    }, within);
    expect(await invoke("one")).toMatchObject({ result: "first" });
  });
});

test("folders of one name are told apart, and one that the file no longer names is served no more", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "toolhost.yaml");
  const configure = (...folders: string[]): void =>
    writeFileSync(file, JSON.stringify({ tools: folders.map((each) => ({ folder: each })) }));
  for (const version of ["v1", "v2"]) writeTool(join(folder, version, "tools"), "one", version);
  writeTool(join(folder, "v2", "tools"), "two", "v2");
  configure("v1/tools");
  const service = await startService({ TOOLHOST_CONFIG: file, TOOLHOST_TOOLS: "" });
  const result = async (name: string): Promise<unknown> => {
    const { result: value, error } = (await (await service.call(name)).json()) as {
      result?: unknown;
      error?: { code: string };
    };
    return value ?? error?.code;
  };
  expect([await result("one"), await result("two")]).toEqual(["v1", "unknown_tool"]);
  configure("v2/tools");
  await vi.waitFor(async () => expect([await result("one"), await result("two")]).toEqual(["v2", "v2"]), within);
  configure("v1/tools", "v2/tools");
  await vi.waitFor(async () => expect([await result("one"), await result("two")]).toEqual(["v1", "v2"]), within);
  configure("v2/tools");
  await vi.waitFor(async () => expect([await result("one"), await result("two")]).toEqual(["v2", "v2"]), within);
});
