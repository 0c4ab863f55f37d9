import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startService } from "../http/running-service.ts";
import { temporaryFolder } from "../cli/toolhost.ts";

// The process alone: what a reload does is in service.test.ts.

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
async function start() {
  const folder = temporaryFolder();
  const tools = join(folder, "tools");
  const file = join(folder, "toolhost.yaml");
  writeTool(tools, "one", "first");
  writeFileSync(file, "tools: [{ folder: ./tools }]\n");
  const service = await startService({ TOOLHOST_CONFIG: file, TOOLHOST_TOOLS: "", LOG_LEVEL: "info" });
  const invoke = async (name: string, args = {}) => (await service.call(name, args)).json() as Promise<unknown>;
  return { service, tools, invoke };
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
      () => expect(service.entries.map(({ msg }) => msg)).toContain("configuration and tools were reloaded"),
      within,
    );
  });

  test("reads again when it is told to by SIGHUP", async () => {
    const { invoke, service } = await start();
    service.signal("SIGHUP");
    await vi.waitFor(() => {
      expect(service.entries.some(({ msg }) => msg === "configuration and tools were reloaded")).toBe(true);
    }, within);
    expect(await invoke("one")).toMatchObject({ result: "first" });
  });
});
