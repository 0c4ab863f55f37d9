// An MCP server whose tools and faults are in the file of its first argument, which a test rewrites.
import { readFileSync, watchFile } from "node:fs";
import { createInterface } from "node:readline";

const [file] = process.argv.slice(2);
const read = () => JSON.parse(readFileSync(file, "utf8"));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const held = [];
let last = read();

watchFile(file, { interval: 2 }, () => {
  const state = read();
  if (state.mode !== "hangs") for (const answer of held.splice(0)) answer();
  if (state.notices !== last.notices) send({ method: "notifications/tools/list_changed" });
  if (state.drops !== last.drops) process.exit(1);
  last = state;
});

const schema = { type: "object", properties: { ms: { type: "number" } } };
const toolsOf = ({ names, bad }) => [
  ...names.map((name) => ({ name, inputSchema: schema })),
  ...bad.map((name) => ({ name, inputSchema: { type: 5 } })),
];

function answer({ id, method, params }) {
  const state = read();
  if (state.mode === "fails" && method !== "tools/call")
    return send({ id, error: { code: -32603, message: "It is broken." } });
  if (state.mode === "hangs" && method !== "tools/call") return held.push(() => answer({ id, method, params }));
  switch (method) {
    case "initialize":
      return send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "harness", version: "1" },
        },
      });
    case "tools/list":
      return send({ id, result: { tools: toolsOf(state) } });
    case "tools/call": {
      const done = () => send({ id, result: { content: [], structuredContent: params.name } });
      return setTimeout(done, params.arguments.ms ?? 0);
    }
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => answer(JSON.parse(line)));
lines.on("close", () => process.exit(0));
