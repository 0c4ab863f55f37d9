// (b) "The limit": the least that a service can do and still check both sides of a call and end it in time.
// Every limit of the benchmark is a ratio to this server, so it is written for speed and has nothing else in it.
import http from "node:http";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { loadToolFolder } from "./tool-folder.mjs";

const timeLimitMs = 10_000;
const ajv = new Ajv();
formats.default(ajv);

const routes = new Map();
for (const name of ["bench_weather", "bench_sleep"]) {
  const tool = await loadToolFolder(name);
  routes.set(`/tools/${name}/invoke`, {
    execute: tool.execute,
    acceptsArguments: ajv.compile(tool.parameters),
    acceptsResult: ajv.compile(tool.response),
  });
}

http
  .createServer((request, response) => {
    const tool = routes.get(request.url);
    if (!tool) return send(response, 404, { status: "error", error: { code: "unknown_tool" } });
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => answer(tool, chunks, response));
  })
  // The backlog is Node's 511 unless asked: too few for 10,000 clients that connect at once.
  .listen({ port: Number(process.env.PORT), host: "127.0.0.1", backlog: 4096 });

async function answer(tool, chunks, response) {
  let body;
  try {
    body = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  } catch {
    return send(response, 400, { status: "error", error: { code: "bad_request" } });
  }
  send(response, 200, await invoke(tool, body));
}

async function invoke(tool, args) {
  if (!tool.acceptsArguments(args)) return { status: "error", error: { code: "invalid_arguments" } };
  try {
    const result = await runInTime(tool.execute, args);
    if (!tool.acceptsResult(result)) return { status: "error", error: { code: "invalid_result" } };
    return { status: "ok", result };
  } catch (cause) {
    return { status: "error", error: { code: cause.name === "AbortError" ? "timeout" : "tool_failed" } };
  }
}

/** The time limit in the usual way: a controller a call, a timer, and a race against the abort event. */
async function runInTime(execute, args) {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(), timeLimitMs);
  try {
    const aborted = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    return await Promise.race([execute(args, { signal }), aborted]);
  } finally {
    clearTimeout(timer);
  }
}

function send(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}
