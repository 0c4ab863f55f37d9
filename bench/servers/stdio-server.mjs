// A small MCP server over stdin and stdout: what a call costs it does not count.
import { createInterface } from "node:readline";

const parameters = {
  type: "object",
  properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] }, days: { type: "array" } },
  required: ["city"],
};
const outputSchema = { type: "object", properties: { status: { type: "string" } }, required: ["status"] };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "forecast", inputSchema: parameters, outputSchema }] }),
  "tools/call": () => ({
    content: [{ type: "text", text: '{"status":"fine"}' }],
    structuredContent: { status: "fine" },
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  const rest = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...rest })}\n`);
});
