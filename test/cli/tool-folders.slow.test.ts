import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTools } from "../../src/service/tools.ts";
import { readToolConfig } from "../../src/config/read-tools.ts";
import { invoke } from "../../src/core/call/invoke.ts";
import { fixtures, service, temporaryFolder, toolhostProcess } from "./toolhost.ts";

const tools = join(fixtures, "tools");
const env = { TOOLHOST_BUNDLED: "off" };
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const loadsTypeScript = major > 22 || (major === 22 && minor >= 18);

interface Status {
  sources: { name: string; kind: string; state: string; tools: number; skipped: { name: string; reason: string }[] }[];
}

async function load(...toolFolders: string[]) {
  const { registry, load: loadThem, status } = createTools();
  await loadThem({
    ...(await readToolConfig({}, {})),
    sources: toolFolders.map((folder) => ({ folder })),
    bundledTools: false,
  });
  return { registry, statuses: status() };
}

describe("a folder of tools", () => {
  test("is served but for what cannot be loaded, which is told with its reason", async () => {
    const { url } = await service([`--tools=${tools}`], { env });
    const { sources } = (await (await fetch(`${url}/status`)).json()) as Status;
    const [source] = sources;
    const reasons = Object.fromEntries(source?.skipped.map(({ name, reason }) => [name, reason]) ?? []);

    expect(source).toMatchObject({ name: "tools", kind: "folder", state: "ready" });
    expect(reasons["no_parameters"]).toMatch(/parameters\.json/);
    expect(reasons["broken_json"]).toMatch(/^parameters\.json is not valid JSON at line \d+, column \d+$/);
    expect(reasons["null_schema"]).toMatch(/response/);
    expect(reasons["bad_schema"]).toMatch(/^in "parameters", .*type/);
    expect(reasons["throws"]).toMatch(
      /^its module threw an error while it was loaded, at tool\.mjs:\d+:\d+: no licence for this machine$/,
    );
    expect(reasons["throws_text"]).toBe("its module threw a value that is not an error");
    expect(reasons["throws_nothing"]).toBe("its module threw a value that is not an error");
    expect(reasons["throws_oddly"]).toBe("its module threw a value that is not an error");
    expect(reasons["named_oddly"]).toMatch(/^the name must be/);
    expect(reasons).not.toHaveProperty("frozen");
    expect(reasons["exports_nothing"]).toBe(
      "the module does not export a tool: export const tool = { name, … }; it exports other",
    );
    expect(reasons["missing_import"]).toMatch(/no-such-package/);
    expect(reasons["syntax_error"]).toMatch(/Unexpected/);
    expect(reasons["no_module"]).toBe("it has no tool.mjs, tool.js or tool.ts");
    expect(reasons).not.toHaveProperty("notes");
    expect(JSON.stringify(reasons)).not.toContain(fixtures);

    const called = await fetch(`${url}/tools/echo_mjs/invoke`, {
      method: "POST",
      body: '{"text":"hi"}',
      headers: json,
    });
    expect(await called.json()).toMatchObject({ status: "ok", result: "hi" });
  });

  test("runs with what is misspelt in it, and warns of that in /status and in the log", async () => {
    const folder = join(temporaryFolder(), "tools");
    mkdirSync(join(folder, "my_tool"), { recursive: true });
    const tool = `{ name: "my_tool", description: "A tool.", timeout: 50, execute: () => 1 }`;
    writeFileSync(join(folder, "my_tool/tool.mjs"), `export const tool = ${tool};\n`);
    writeFileSync(join(folder, "my_tool/parameters.json"), '{ "type": "object", "requried": [] }');
    const running = await service([`--tools=${folder}`], { env });
    const { sources } = (await (await fetch(`${running.url}/status`)).json()) as { sources: { warnings: unknown }[] };
    const warnings = [
      {
        name: "my_tool",
        path: "/timeout",
        message: '"timeout" is not a field of a tool and has no effect; did you mean "timeoutMs"?',
      },
      {
        name: "my_tool",
        path: "/parameters/requried",
        message: '"requried" is not a keyword of JSON Schema and has no effect; did you mean "required"?',
      },
    ];
    expect(sources).toMatchObject([{ name: "tools", state: "ready", tools: 1, skipped: [], warnings }]);
    const entries = running.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const { name, path, message } of warnings) {
      expect(entries).toContainEqual(expect.objectContaining({ tool: name, path, message, msg: "tool warning" }));
    }
  });

  test("may hold tool.mjs, tool.js with its own `this`, and schemas in the module", async () => {
    const { registry } = await load(tools);
    const text = { text: "hi" };
    expect(await invoke(registry, { name: "echo_mjs", arguments: text, caller: { id: "test" } })).toMatchObject({
      result: "hi",
    });
    expect(await invoke(registry, { name: "echo_js", arguments: text, caller: { id: "test" } })).toMatchObject({
      result: "js: hi",
    });
    expect(await invoke(registry, { name: "inline", arguments: {}, caller: { id: "test" } })).toMatchObject({
      result: "here",
    });
  });

  test.runIf(loadsTypeScript)("may hold tool.ts", async () => {
    const called = await toolhostProcess(["call", "echo_ts", '{"text":"hi"}', `--tools=${tools}`]);
    expect(JSON.parse(called.stdout)).toMatchObject({ status: "ok", result: "hi" });
  });

  test.skipIf(loadsTypeScript)("says what to do about tool.ts where this Node cannot load it", async () => {
    const { stderr } = await toolhostProcess(["list", `--tools=${tools}`]);
    expect(stderr).toContain(
      'skipped "echo_ts": this Node cannot load tool.ts: write tool.mjs, or run Node 22.18 or later',
    );
  });

  test("keeps a name that it had first", async () => {
    const rival = join(fixtures, "rival");
    const { registry, statuses } = await load(tools, rival);
    expect(registry.find("echo_mjs")?.source).toBe("tools");
    expect(statuses[1]).toMatchObject({ name: "rival", state: "ready", tools: 0 });
    expect(statuses[1]?.skipped).toEqual([{ name: "echo_mjs", reason: expect.stringMatching(/tools/) as string }]);
  });

  test("fails alone where it does not exist, or is none", async () => {
    const missing = join(temporaryFolder(), "missing");
    const file = join(fixtures, "tools/notes/README.txt");
    const { registry, statuses } = await load(missing, tools, file);
    expect(statuses.map(({ state }) => state)).toEqual(["failed", "ready", "failed"]);
    expect(statuses[0]?.reason).toBe("the folder does not exist");
    expect(statuses[2]?.reason).toMatch(/cannot be read: ENOTDIR/);
    expect(registry.find("echo_mjs")).toBeDefined();
  });

  test("tells a tool's own folder from the one that it is in", async () => {
    const { statuses } = await load(join(fixtures, "tools/echo_mjs"));
    expect(statuses[0]).toMatchObject({ state: "failed", tools: 0 });
    expect(statuses[0]?.reason).toMatch(/contains tool.mjs itself: pass the folder that/);
  });

  test("has a name of its own in /status, whatever the others are called", async () => {
    const folders = ["x/a", "y/a", "z/a-2", "bundled"].map((path) => join(temporaryFolder(), path));
    const { statuses } = await load(...folders);
    expect(statuses.map(({ name }) => name)).toEqual([
      "a",
      expect.stringMatching(/^a-[0-9a-f]{8}$/),
      "a-2",
      expect.stringMatching(/^bundled-[0-9a-f]{8}$/),
    ]);
  });

  test("can fail a call in words for the model, without an import", async () => {
    const { registry } = await load(tools);
    const outcome = await invoke(registry, { name: "refuses", arguments: { text: "tea" }, caller: { id: "test" } });
    expect(outcome).toMatchObject({
      status: "error",
      error: {
        code: "tool_failed",
        message: "There is no tea here: ask for another.",
        retryable: true,
        details: { left: 2 },
      },
    });
  });

  test("can be several, with : between", async () => {
    const other = join(fixtures, "rival");
    const { stdout } = await toolhostProcess(["list"], { env: { ...env, TOOLHOST_TOOLS: `${other}:${tools}` } });
    expect(stdout).toMatch(/^echo_mjs +Comes second\.$/m);
    expect(stdout).toMatch(/^echo_js /m);
  });

  test("does not keep the service from starting where a module never ends loading", { timeout: 30_000 }, async () => {
    const folder = join(fixtures, "never_loads");
    const { stdout, stderr, code } = await toolhostProcess(["list", `--tools=${folder}`], { env });
    expect(stdout).toMatch(/^fine /);
    expect(stderr).toBe('skipped "never": its module was not loaded within 10 s\n');
    expect(code).toBe(0);
  });
});

const json = { "content-type": "application/json" };
