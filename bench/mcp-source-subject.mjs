// Calls a server over stdin and stdout and prints what a call costs this process. The argument says by what: `source` or `client`.
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createRegistry } from "../dist/src/core/registry/registry.js";
import { invoke } from "../dist/src/core/call/invoke.js";
import { createSources } from "../dist/src/sources/sources.js";
import { createMcpSource } from "../dist/src/sources/mcp/source.js";

const server = fileURLToPath(new URL("servers/stdio-server.mjs", import.meta.url));
const mcp = { command: process.execPath, args: [server] };
const input = { city: "São Paulo", unit: "celsius", days: [1, 2, 3] };
const connections = 16;
const calls = 8000;

const opened = process.argv[2] === "source" ? await openSource() : await openClient();
await callMany(3000);
const before = process.cpuUsage();
await callMany(calls);
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ cpuUs: (user + system) / calls }));
await opened.close();

async function callMany(count) {
  let left = count;
  const work = async () => {
    while (left-- > 0) await opened.call();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

async function openSource() {
  const registry = createRegistry();
  const sources = createSources({ registry });
  const open = () => createMcpSource({ name: "s", setting: { mcp }, fetch });
  await sources.configure([{ key: "s", open }], { waitsFor: "all" });
  return {
    async call() {
      const outcome = await invoke(registry, { name: "s_forecast", arguments: input });
      if (outcome.status !== "ok") throw new Error(JSON.stringify(outcome));
    },
    close: () => sources.close(5000),
  };
}

async function openClient() {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport(mcp));
  await client.listTools();
  return {
    async call() {
      const result = await client.callTool({ name: "forecast", arguments: input });
      if (result.isError === true) throw new Error(JSON.stringify(result));
    },
    close: () => client.close(),
  };
}
