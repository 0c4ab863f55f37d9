// Real MCP servers as sources of one service, called by the MCP clients that people use, over plain HTTP and by models' replies.
// Ends with 1 if anything is not as expected.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const main = here("../../dist/src/main.js");
const bin = (name) => here(`node_modules/.bin/${name}`);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-clients-")));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "note.txt"), "Hello from a file.");
writeFileSync(
  join(folder, "toolhost.yaml"),
  JSON.stringify({
    tools: [
      { mcp: { command: bin("mcp-server-everything"), args: [] }, name: "everything" },
      { mcp: { command: bin("mcp-server-filesystem"), args: [folder] }, name: "files" },
      {
        mcp: {
          command: bin("mcp-server-memory"),
          args: [],
          env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
        },
        name: "memory",
      },
    ],
  }),
);

const service = await startService();
const { url } = service;
const mcp = new URL(`${url}/mcp`);
const sum = { name: "everything_get-sum", arguments: { a: 2, b: 3 } };
const stdio = { command: process.execPath, args: [main, "mcp", "--config", join(folder, "toolhost.yaml")] };
const info = { name: "check", version: "1.0.0" };
let failed = 0;

await check("each server is a source whose tools are listed", async () => {
  const { sources } = await getJson("/status");
  const own = sources.filter(({ kind }) => kind === "mcp");
  assert.deepEqual(
    own.map(({ name, state }) => [name, state]),
    ["everything", "files", "memory"].map((name) => [name, "ready"]),
  );
  for (const { name, tools, skipped } of own) assert.ok(tools > 5 && skipped.length === 0, `${name}: ${tools} tools`);
});

await check("their tools are called over plain HTTP", async () => {
  assert.match(textOf(await invoke(sum.name, sum.arguments)), /5/);
  const read = await invoke("files_read_text_file", { path: join(folder, "note.txt") });
  assert.match(JSON.stringify(read), /Hello from a file\./);
  const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
  await invoke("memory_create_entities", { entities });
  assert.match(JSON.stringify(await invoke("memory_search_nodes", { query: "Ada" })), /writes programs/);
});

await check("a failure of a server is upstream_failed with its own words", async () => {
  const { error } = await call("files_read_text_file", { path: "/etc/passwd" });
  assert.equal(error.code, "upstream_failed");
  assert.match(error.message, /denied|outside/i);
});

await check("wrong arguments do not reach the server", async () => {
  const { error } = await call(sum.name, { a: "two", b: 3 });
  assert.deepEqual([error.code, error.issues[0].path], ["invalid_arguments", "/a"]);
});

await check("an image reaches Anthropic's messages as an image", async () => {
  const content = [{ type: "tool_use", id: "t1", name: "everything_get-tiny-image", input: {} }];
  const { messages } = await reply("anthropic", { role: "assistant", stop_reason: "tool_use", content });
  const image = messages[0].content[0].content.find(({ type }) => type === "image");
  assert.equal(image.source.media_type, "image/png");
  assert.ok(image.source.data.length > 1000);
});

await check("an image reaches the Responses API as an image", async () => {
  const item = { type: "function_call", call_id: "c1", name: "everything_get-tiny-image", arguments: "{}" };
  const { messages } = await reply("openai-responses", [item]);
  const image = messages[0].output.find(({ type }) => type === "input_image");
  assert.match(image.image_url, /^data:image\/png;base64,/);
});

const clients = [
  {
    name: "SDK v1",
    connect: async (isStdio) => {
      const client = new Client1(info);
      await client.connect(isStdio ? new Stdio1({ ...stdio, stderr: "ignore" }) : new Http1(mcp));
      return client;
    },
  },
  ...[{}, { versionNegotiation: { mode: "auto" } }].map((options, index) => ({
    name: ["SDK v2", "SDK v2, the newest revision"][index],
    connect: async (isStdio) => {
      const client = new Client2(info, options);
      await client.connect(isStdio ? new Stdio2({ ...stdio, stderr: "ignore" }) : new Http2(mcp));
      return client;
    },
  })),
];
for (const { name, connect } of clients) {
  for (const isStdio of [false, true]) {
    await check(`${name} lists and calls over ${isStdio ? "stdio" : "HTTP"}`, async () => {
      const client = await connect(isStdio);
      try {
        const { tools } = await client.listTools();
        assert.ok(tools.some((tool) => tool.name === sum.name));
        assert.match(textOf(await client.callTool(sum)), /5/);
        const { content } = await client.callTool({ name: "everything_get-tiny-image", arguments: {} });
        assert.ok(content.some(({ type, mimeType }) => type === "image" && mimeType === "image/png"));
        const wrong = await client.callTool({ name: sum.name, arguments: { a: "two", b: 3 } });
        assert.equal(wrong.isError, true);
      } finally {
        await client.close();
      }
    });
  }
}

await check("@ai-sdk/mcp lists and calls", async () => {
  const client = await createMCPClient({ transport: { type: "http", url: mcp.href } });
  const tools = await client.tools();
  const options = { toolCallId: "c1", messages: [] };
  assert.match(textOf(await tools[sum.name].execute(sum.arguments, options)), /5/);
  await client.close();
});

await check("@langchain/mcp-adapters lists and calls", async () => {
  const mcpServers = { toolhost: { transport: "http", url: mcp.href } };
  const client = new MultiServerMCPClient({ mcpServers, useStandardContentBlocks: true });
  const tools = await client.getTools();
  const tool = tools.find(({ name }) => name.endsWith(sum.name));
  assert.match(JSON.stringify(await tool.invoke(sum.arguments)), /5/);
  await client.close();
});

await check("the inspector's CLI lists and calls", async () => {
  const inspect = (...args) => {
    const flags = ["--cli", mcp.href, "--transport", "http", ...args];
    const { status, stdout, stderr } = spawnSync(bin("mcp-inspector"), flags, { encoding: "utf8", timeout: 60_000 });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  };
  assert.ok(inspect("--method", "tools/list").tools.some(({ name }) => name === sum.name));
  const called = inspect("--method", "tools/call", "--tool-name", sum.name, "--tool-arg", "a=2", "--tool-arg", "b=3");
  assert.match(textOf(called), /5/);
});

await check("no process is left when the service has ended", async () => {
  const children = childrenOf(service.child.pid);
  assert.ok(children.length >= 3, `${children.length} children`);
  service.child.kill("SIGTERM");
  await new Promise((resolve) => service.child.once("exit", resolve));
  for (let left = 100; left > 0 && children.some(isAlive); left--) await sleep(50);
  assert.deepEqual(children.filter(isAlive), []);
});

console.log(failed === 0 ? "ok: MCP clients and servers work with the service" : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function check(sentence, test) {
  try {
    await test();
    console.log(`  holds: ${sentence}`);
  } catch (error) {
    failed++;
    console.log(`  FAILS: ${sentence}\n${error.stack}`);
  }
}

async function startService() {
  const env = { PATH: process.env.PATH, HOME: folder, PORT: "0", TOOLHOST_BUNDLED: "off" };
  const child = spawn(process.execPath, [main, "serve"], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  process.on("exit", () => child.kill());
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  for (let left = 600; left > 0; left--) {
    await sleep(100);
    const found = /"url":"([^"]+)","msg":"listening"/.exec(log)?.[1];
    if (child.exitCode !== null) break;
    if (found === undefined) continue;
    const { sources } = await (await fetch(`${found}/status`)).json();
    if (sources.every(({ state }) => state === "ready")) return { child, url: found };
  }
  throw new Error(`The service did not load its sources: ${log}`);
}

async function getJson(path) {
  return (await fetch(url + path)).json();
}

async function post(path, body) {
  const headers = { "content-type": "application/json" };
  return (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

function call(name, args) {
  return post(`/tools/${name}/invoke`, args);
}

async function invoke(name, args) {
  const outcome = await call(name, args);
  assert.equal(outcome.status, "ok", JSON.stringify(outcome));
  return outcome.result;
}

function reply(format, body) {
  return post(`/calls?format=${format}`, body);
}

function textOf({ content }) {
  return content.map(({ text }) => text ?? "").join("\n");
}

function childrenOf(pid) {
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean).map(Number);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
