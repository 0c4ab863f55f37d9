// An MCP server over stdin and stdout, without our code and without an SDK. Its script is the JSON of its first argument; a test sends
// it more over the tool `control`.
import { createInterface } from "node:readline";

const script = { tools: [], era: "legacy", ...JSON.parse(process.argv[2] ?? "{}") };
const write = (text) => process.stdout.write(text);
const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id, result) => send({ id, result: isModern ? { resultType: "complete", ...result } : result });
const waiting = new Map();
let isModern = false;
let listened;

if (script.stderr !== undefined) process.stderr.write(`${script.stderr}\n`);
if (script.stderrFlood) {
  const flood = () => process.stderr.write(`${"e".repeat(1000)}\n`.repeat(100), () => setImmediate(flood));
  flood();
}
if (script.exit !== undefined) process.exit(script.exit);
if (script.stdout !== undefined) write(script.stdout);
if (script.longLine) write("x".repeat(script.longLine));
if (script.stdoutFlood) {
  const flood = () => process.stdout.write("not MCP\n".repeat(1000), () => setImmediate(flood));
  flood();
}
if (script.grandchild) {
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
  send({ method: "notifications/message", params: { level: "info", data: String(child.pid) } });
}
if (script.ignoresSignals) for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => undefined);

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === undefined) return;
  if (script.exitOn === method) process.exit(7);
  if (script.hangOn?.includes(method)) return;
  if (script.failOn?.[method]) return send({ id, error: { code: -32000, message: script.failOn[method] } });
  switch (method) {
    case "server/discover":
      if (script.era !== "modern") return send({ id, error: { code: -32601, message: "Method not found" } });
      isModern = true;
      return answer(id, {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: { listChanged: true } },
        ttlMs: 0,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } },
      });
    case "initialize":
      if (script.refuseHandshake !== undefined) return send({ id, error: script.refuseHandshake });
      if (script.era === "modern") return send({ id, error: { code: -32601, message: "Method not found" } });
      return answer(id, {
        protocolVersion: "2025-11-25",
        capabilities: script.noTools ? {} : { tools: { listChanged: true } },
        serverInfo: { name: "scripted", version: "1" },
      });
    case "subscriptions/listen":
      listened = id;
      return send({
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { toolsListChanged: true }, _meta: { "io.modelcontextprotocol/subscriptionId": id } },
      });
    case "tools/list":
      return list(id, params);
    case "tools/call":
      return call(id, params);
    case "notifications/cancelled": {
      const abort = waiting.get(params.requestId);
      return abort?.();
    }
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
  }
});
lines.on("close", () => {
  if (!script.outlivesStdin) process.exit(0);
  setInterval(() => undefined, 1000);
});

function list(id, { cursor } = {}) {
  if (script.endless)
    return answer(id, {
      tools: [],
      nextCursor: script.endless === "same" ? "again" : String(Math.random()),
      ttlMs: 0,
      cacheScope: "private",
    });
  if (script.deepTool !== undefined) {
    const deep = `${'{"not":'.repeat(script.deepTool)}{}${"}".repeat(script.deepTool)}`;
    const tools = [
      ...script.tools.map(plain).map((tool) => JSON.stringify(tool)),
      `{"name":"deep","inputSchema":${deep}}`,
    ];
    return write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[${tools.join(",")}]}}\n`);
  }
  const size = script.pageSize ?? Infinity;
  const start = cursor === undefined ? 0 : Number(cursor);
  const all =
    script.count === undefined
      ? script.tools
      : Array.from({ length: script.count }, (_, index) => ({ ...plain(`tool_${index}`) }));
  const tools = all.slice(start, start + size).map((tool) => (typeof tool === "string" ? plain(tool) : tool));
  const next = start + size < all.length ? { nextCursor: String(start + size) } : {};
  answer(id, { tools, ...next, ...(isModern && { ttlMs: 0, cacheScope: "private" }) });
}

function plain(name) {
  return { name, description: `The tool ${name}.`, inputSchema: { type: "object", properties: {} } };
}

async function call(id, { name, arguments: args = {}, _meta = {} }) {
  const text = (value) => answer(id, { content: [{ type: "text", text: value }] });
  switch (name) {
    case "control":
      Object.assign(script, args.script);
      if (args.notify) for (let index = 0; index < args.notify; index++) notifyChanged();
      if (args.write !== undefined) write(args.write);
      text("done");
      if (args.exit !== undefined) setTimeout(() => process.exit(args.exit), 10);
      return;
    case "flood": {
      // As many lines as are read.
      const lines = `${JSON.stringify({ jsonrpc: "2.0", ...args.message })}\n`.repeat(1000);
      const flood = () => process.stdout.write(lines, () => setImmediate(flood));
      flood();
      return text("begun");
    }
    case "answer":
      if (args.error) return send({ id, error: args.error });
      return answer(id, args.result);
    case "raw":
      return write(args.text.replaceAll("$ID", JSON.stringify(id)));
    case "meta":
      return text(JSON.stringify(_meta));
    case "environment":
      return answer(id, {
        content: [],
        structuredContent: { names: Object.keys(process.env).sort(), cwd: process.cwd(), pid: process.pid },
      });
    case "slow": {
      const timer = setTimeout(() => text("late"), args.ms ?? 3_600_000);
      waiting.set(id, () => {
        clearTimeout(timer);
        waiting.delete(id);
        script.cancelled = (script.cancelled ?? 0) + 1;
      });
      return;
    }
    case "cancelled":
      return answer(id, { content: [], structuredContent: { count: script.cancelled ?? 0 } });
    case "progress":
      for (let step = 1; step <= 3; step++) {
        send({
          method: "notifications/progress",
          params: { progressToken: _meta.progressToken, progress: step, total: 3, message: `step ${step}` },
        });
      }
      return text("done");
    case "die":
      process.exit(9);
      break;
    default:
      if (args.ms !== undefined) await new Promise((resolve) => setTimeout(resolve, args.ms));
      return answer(id, { content: [{ type: "text", text: name }], structuredContent: { result: name, args } });
  }
}

function notifyChanged() {
  send({
    method: "notifications/tools/list_changed",
    ...(listened !== undefined && { params: { _meta: { "io.modelcontextprotocol/subscriptionId": listened } } }),
  });
}
