import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { printConfig } from "../../src/config/print.ts";
import { readConfig, readConfigWithOrigins } from "../../src/config/read-config.ts";

const env = { TOKEN: "very-secret" };

function folder(files: Readonly<Record<string, unknown>>): string {
  const dir = mkdtempSync(join(tmpdir(), "toolhost-mcp-config-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(dir, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return dir;
}

const servers = {
  mcpServers: {
    memory: { command: "npx", args: ["-y", "server-memory", "${env:TOKEN}"], env: { KEY: "${TOKEN}", PORT: 1 } },
    remote: { type: "http", url: "https://mcp.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
    older: { type: "sse", serverUrl: "https://mcp.example/${PATH_OF:-sse}", alwaysAllow: ["a"] },
    off: { command: "npx", disabled: true },
    "7up": { command: "seven", cwd: "sub" },
  },
};

test("each server of an mcpServers file is a source, by its key", async () => {
  const dir = folder({ "toolhost.yaml": "tools:\n  - mcpServers: ./mcp.json\n", "mcp.json": servers });
  const { sources } = await readConfig([], env, dir);
  const listedIn = join(dir, "mcp.json");
  expect(sources).toEqual([
    {
      name: "memory",
      mcp: { command: "npx", args: ["-y", "server-memory", "very-secret"], env: { KEY: "very-secret", PORT: "1" } },
      listedIn,
    },
    {
      name: "remote",
      mcp: { url: "https://mcp.example/mcp" },
      headers: { Authorization: "Bearer very-secret" },
      listedIn,
    },
    { name: "older", mcp: { url: "https://mcp.example/sse", transport: "sse" }, listedIn },
    { name: "mcp_7up", mcp: { command: "seven", args: [], cwd: join(dir, "sub") }, listedIn },
  ]);
});

test("tools that a file switches off are left out, in the words of each client", async () => {
  const remote = { type: "streamable-http", url: "https://mcp.example/mcp" };
  const mcpServers = {
    mcpo: { ...remote, disabledTools: ["delete_file"] },
    gemini: { ...remote, includeTools: ["read_a", "read_b"], excludeTools: ["read_b"] },
    all: { ...remote, disabledTools: [], includeTools: null },
    none: { ...remote, includeTools: [] },
  };
  const dir = folder({ "toolhost.yaml": "tools:\n  - mcpServers: ./mcp.json\n", "mcp.json": { mcpServers } });
  const { sources } = await readConfig([], env, dir);
  const setting = { mcp: { url: remote.url }, listedIn: join(dir, "mcp.json") };
  expect(sources).toEqual([
    { name: "mcpo", ...setting, exclude: ["delete_file"] },
    { name: "gemini", ...setting, include: ["read_a", "read_b"], exclude: ["read_b"] },
    { name: "all", ...setting },
    { name: "none", ...setting, include: [] },
  ]);
});

test("--mcp-config reads the same file, and the file of VS Code; bundled tools are off", async () => {
  const dir = folder({ "mcp.json": { servers: { a: { command: "x" } } } });
  const config = await readConfig(["--mcp-config", "mcp.json"], env, dir);
  expect(config).toMatchObject({ bundledTools: false, sources: [{ name: "a", mcp: { command: "x" } }] });
});

test.each([
  ["none", undefined, "mcp.json does not exist"],
  ["no JSON", "{", "mcp.json is not JSON"],
  ["something else", "[]", "mcp.json has no object mcpServers"],
  [
    "tools that are not texts",
    { mcpServers: { a: { command: "x", disabledTools: [7] } } },
    'mcp.json: "a" must have a list of texts as "disabledTools"',
  ],
  ["no command", { mcpServers: { a: {} } }, 'mcp.json: "a" must have either "command" or "url"'],
  [
    "both",
    { mcpServers: { a: { command: "x", url: "https://x" } } },
    'mcp.json: "a" must have either "command" or "url"',
  ],
  [
    "a bad URL",
    { mcpServers: { a: { url: "ftp://x" } } },
    'mcp.json: "a" must have a "url" that is an http or https URL',
  ],
  ["bad args", { mcpServers: { a: { command: "x", args: [1] } } }, 'mcp.json: "a" must have a list of texts as "args"'],
  ["a variable", { mcpServers: { a: { command: "${GONE}" } } }, 'mcp.json: "a" uses the environment variable GONE'],
  [
    "an input",
    { mcpServers: { a: { command: "${input:k}" } } },
    'mcp.json: "a" contains ${input:k}, which Toolhost cannot replace',
  ],
])("a file with %s is a problem", async (_name, content, problem) => {
  const dir = folder(content === undefined ? {} : { "mcp.json": content });
  await expect(readConfig(["--mcp-config", "mcp.json"], env, dir)).rejects.toThrow(problem);
});

test("a command after -- is a source, with the variables and the name that flags before it give", async () => {
  const args = [
    "--port",
    "0",
    "--env",
    "TOKEN",
    "--name",
    "mem",
    "--",
    "npx",
    "-y",
    "server",
    "--port",
    "9",
    "--",
    "x",
  ];
  expect(await readConfig(args, env, folder({}))).toMatchObject({
    port: 0,
    bundledTools: false,
    sources: [{ name: "mem", mcp: { command: "npx", args: ["-y", "server", "--port", "9", "--", "x"], env } }],
  });
  const both = await readConfig(["--bundled", "--name", "a", "--openapi", "./a.yaml", "--", "srv"], env, folder({}));
  expect(both).toMatchObject({ bundledTools: true, sources: [{ name: "a" }, { mcp: { command: "srv", args: [] } }] });
});

test.each([
  [["--"], "-- must be followed by the command of an MCP server"],
  [["--env", "TOKEN"], '--env must be followed by "--" and the command of an MCP server'],
  [["--env", "TOKEN=1", "--", "x"], "--env must be the name of an environment variable"],
  [["--env", "GONE", "--", "x"], "--env GONE: the environment variable is not set"],
  [["--name", "a"], "--name must be before its --openapi or its -- command"],
  [["--name", "a", "--mcp-config", "b"], "--name must not be before --mcp-config"],
])("the flags %j are refused", async (args, problem) => {
  await expect(readConfig(args, env, folder({}))).rejects.toThrow(problem);
});

test("an entry mcp has either a command or a URL", async () => {
  const read = (entry: string) => readConfig([], env, folder({ "toolhost.yaml": `tools:\n  - mcp: ${entry}\n` }));
  for (const entry of ["{}", "{ command: x, url: https://x.example }"]) {
    await expect(read(entry)).rejects.toThrow('must be an object that contains either "command" or "url"');
  }
  await expect(read("{ url: ftp://x }")).rejects.toThrow("tools[0].mcp.url must be an http or https URL");
  await expect(read("{ command: x, argz: [a] }")).rejects.toThrow('did you mean "args"?');
});

test("the values of variables and headers are not printed", async () => {
  const yaml = "tools:\n  - mcpServers: ./mcp.json\n  - mcp: { command: x, env: { A: plain-secret } }\n";
  const dir = folder({ "toolhost.yaml": yaml, "mcp.json": servers });
  const text = printConfig(await readConfigWithOrigins(["--env", "TOKEN", "--", "x"], env, dir));
  expect(text).not.toContain("plain-secret");
  expect(text.match(/very-secret/g)).toBeNull();
  expect(text).toContain("server-memory");
});
