import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { outputOf } from "./children.mjs";
import { pinned } from "./pin.mjs";

/**
 * @typedef {{ method: string, url: string, headers: Record<string, string>, body?: string }} Request
 * @typedef {{ requests: number, seconds: number, failures: Record<string, number> }} Load
 *   `failures` counts answers of status 400 and over, and requests that got no answer, by reason.
 */

const script = fileURLToPath(new URL("request.lua", import.meta.url));
const autocannon = fileURLToPath(new URL("node_modules/autocannon/autocannon.js", import.meta.url));

/** wrk costs a fifth of what a load generator in Node does; without it fast servers wait for the load. */
export const loadGenerator = spawnSync("wrk", ["-v"]).error ? "autocannon" : "wrk";

/**
 * Sends one request over and over from `connections` keep-alive connections, each waiting for its answer.
 * @param {Request} request
 * @param {{ connections: number, seconds: number }} options `seconds` is whole, because wrk knows no fractions
 * @returns {Promise<Load>}
 */
export function sendLoad(request, options) {
  return loadGenerator === "wrk" ? sendByWrk(request, options) : sendByAutocannon(request, options);
}

async function sendByWrk({ method, url, headers, body = "" }, { connections, seconds }) {
  const output = await run(
    [
      "wrk",
      "--threads",
      "1",
      "--connections",
      `${connections}`,
      "--duration",
      `${seconds}s`,
      "--timeout",
      "10s",
      "--script",
      script,
      url,
    ],
    {
      BENCH_METHOD: method,
      BENCH_BODY: body,
      BENCH_HEADERS: Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n"),
    },
  );
  return JSON.parse(output.trim().split("\n").at(-1));
}

async function sendByAutocannon({ method, url, headers, body }, { connections, seconds }) {
  const output = await run([
    process.execPath,
    autocannon,
    "--json",
    "--no-progress",
    "--method",
    method,
    "--connections",
    `${connections}`,
    "--duration",
    `${seconds}`,
    ...Object.entries(headers).flatMap(([name, value]) => ["--headers", `${name}: ${value}`]),
    ...(body ? ["--body", body] : []),
    url,
  ]);
  const { requests, duration, errors, timeouts, statusCodeStats } = JSON.parse(output);
  const refused = Object.entries(statusCodeStats).filter(([status]) => Number(status) >= 400);
  return {
    requests: requests.total,
    seconds: duration,
    failures: {
      connection: errors,
      timeout: timeouts,
      status: refused.reduce((sum, [, { count }]) => sum + count, 0),
    },
  };
}

function run(command, environment = {}) {
  return outputOf(pinned("load", command), { PATH: process.env.PATH, ...environment });
}
