import { once } from "node:events";
import { tmpdir } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnChild, withManyFiles } from "./children.mjs";
import { cpuUs } from "./measure.mjs";
import { pinned } from "./pin.mjs";

/**
 * @typedef {import('./candidates.mjs').Candidate} Candidate
 * @typedef {object} Server
 * @property {number} pid
 * @property {string} url
 * @property {number} startCpuUs CPU from spawn to the first good answer
 * @property {(args?: object) => import('./load.mjs').Request} request
 * @property {() => Promise<void>} stop
 */

const goodArguments = { location: "Paris", unit: "celsius" };
const badArguments = { location: "Paris", unit: "kelvin" };
const goodResult = { location: "Paris", current_temp_c: 21.5, condition: "partly cloudy" };
const startLimitMs = 60_000;

/**
 * Starts a candidate on the servers' core and waits until it has answered one call rightly and refused a wrong one.
 * @param {Candidate} candidate
 * @param {{ port: number }} options
 * @returns {Promise<Server>}
 */
export async function startServer(candidate, { port }) {
  const [file, ...args] = withManyFiles(pinned("server", candidate.command));
  // A clean environment and a folder without files: nothing of the person who runs this changes what is measured.
  const child = spawnChild(file, args, {
    cwd: candidate.env?.TOOLHOST_DATA ?? tmpdir(),
    env: { PATH: process.env.PATH, NODE_ENV: "production", PORT: `${port}`, ...candidate.env },
    stdio: ["ignore", "ignore", candidate.env?.LOG_LEVEL === "info" ? "ignore" : "pipe"],
  });
  let stderr = "";
  child.stderr?.on("data", (text) => (stderr = (stderr + text).slice(-2000)));

  const url = `http://127.0.0.1:${port}`;
  const request = (args = goodArguments) => {
    const { path, ...rest } = candidate.call(args);
    return { ...rest, url: url + path };
  };
  await firstGoodAnswer(candidate, request, child, () => stderr);
  const startCpuUs = cpuUs(child.pid);
  if (candidate.checksArguments ?? true) await mustRefuse(candidate, request(badArguments));
  return { pid: child.pid, url, startCpuUs, request, stop: () => stop(child) };
}

async function firstGoodAnswer(candidate, request, child, stderr) {
  const endsAt = Date.now() + startLimitMs;
  let last = "no answer";
  while (Date.now() < endsAt) {
    if (child.exitCode !== null) throw new Error(`${candidate.name} ended with ${child.exitCode}: ${stderr()}`);
    try {
      const answer = await send(request());
      if (isDeepStrictEqual(candidate.resultOf(answer), goodResult)) return;
      last = JSON.stringify(answer);
    } catch (cause) {
      if (cause.cause?.code !== "ECONNREFUSED") last = String(cause);
    }
    await sleep(3);
  }
  throw new Error(`${candidate.name} gave no good answer in ${startLimitMs} ms; the last one: ${last}\n${stderr()}`);
}

async function mustRefuse(candidate, request) {
  const answer = await send(request);
  if (candidate.resultOf(answer) !== undefined) {
    throw new Error(`${candidate.name} took arguments that break the schema: ${JSON.stringify(answer)}`);
  }
}

async function send({ url, ...options }) {
  const response = await fetch(url, options);
  return response.json();
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const slow = setTimeout(() => child.kill("SIGKILL"), 2000);
  await ended;
  clearTimeout(slow);
}
