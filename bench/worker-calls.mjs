import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { invokeCall } from "./candidates.mjs";
import { outputOf, spawnChild } from "./children.mjs";
import { pinned } from "./pin.mjs";
import { rotate, sampleOf, warmUp } from "./rounds.mjs";
import { ratio, spread } from "./statistics.mjs";
import { startServer } from "./start.mjs";

const batchingWorker = fileURLToPath(new URL("servers/batching-worker.mjs", import.meta.url));
const pythonTools = fileURLToPath(new URL("servers/python_tools.py", import.meta.url));
const pythonLibrary = fileURLToPath(new URL("../workers/python", import.meta.url));
const clientLoop = fileURLToPath(new URL("servers/http_client_loop.py", import.meta.url));
const token = "the-token-of-the-benchmark";
const name = "bench_weather_of_worker";
const input = { location: "Oslo", unit: "celsius" };
const startLimitMs = 30_000;

/**
 * What a call of a worker's tool costs the service, against an invoke of the same tool in its own process. The worker runs on the
 * load's core.
 * @param {import('./candidates.mjs').Candidate} candidate
 * @param {{ folder: string, node: string, connections: number, rounds: number, seconds: number, port: number, say: (text: string) => void }} options
 */
export async function measureWorkerCalls(candidate, { folder, node, connections, rounds, seconds, port, say }) {
  const server = await startWithWorkers(candidate, { folder, port });
  const worker = startWorker([node, batchingWorker], { SERVICE_URL: server.url, TOOL_NAME: name });
  const requestOf = (tool) => requestTo(server, tool, input);
  const subjects = { invoke: requestOf("bench_weather"), worker: requestOf(name) };
  for (const request of Object.values(subjects)) await firstGoodAnswer(request);
  say("warm-up");
  for (const request of Object.values(subjects)) await warmUp(request, { connections });
  const samples = { invoke: [], worker: [] };
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    for (const id of rotate(Object.keys(subjects), round)) {
      samples[id].push(await sampleOf(server.pid, subjects[id], { connections, seconds }));
    }
  }
  worker.kill();
  await server.stop();
  const cpu = (id) => samples[id].map(({ cpuUs }) => cpuUs);
  const perSecond = (id) => spread(samples[id].map((sample) => sample.perSecond));
  return {
    connections,
    cpuUs: { invoke: spread(cpu("invoke")), worker: spread(cpu("worker")) },
    perSecond: { invoke: perSecond("invoke"), worker: perSecond("worker") },
    toInvoke: ratio(cpu("worker"), cpu("invoke")),
  };
}

/**
 * How many calls a second a Python worker answers, against a loop over one connection of Python's own client, to a server that does
 * nothing. Both run on the load's core.
 * @param {import('./candidates.mjs').Candidate} candidate
 * @param {import('./candidates.mjs').Candidate} floor
 * @param {{ folder: string, connections: number, rounds: number, seconds: number, port: number, say: (text: string) => void }} options
 * @returns undefined if there is no python3
 */
export async function measurePythonWorker(candidate, floor, { folder, connections, rounds, seconds, port, say }) {
  if (spawnSync("python3", ["--version"]).error) return undefined;
  const server = await startWithWorkers(candidate, { folder, port });
  const floorServer = await startServer(floor, { port: port + 1 });
  const worker = startWorker(["python3", "-m", "toolhost_worker", pythonTools], {
    TOOLHOST_URL: server.url,
    PYTHONPATH: pythonLibrary,
    PYTHONDONTWRITEBYTECODE: "1",
  });
  const request = requestTo(server, "bench_empty", {});
  await firstGoodAnswer(request);
  say("warm-up");
  await warmUp(request, { connections });
  const perSecond = { worker: [], client: [] };
  const measures = {
    worker: async () => (await sampleOf(server.pid, request, { connections, seconds })).perSecond,
    client: async () =>
      Number(await outputOf(pinned("load", ["python3", clientLoop, `${port + 1}`, `${seconds}`]), {})),
  };
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    for (const id of rotate(Object.keys(measures), round)) perSecond[id].push(await measures[id]());
  }
  worker.kill();
  await server.stop();
  await floorServer.stop();
  return {
    connections,
    perSecond: { worker: spread(perSecond.worker), client: spread(perSecond.client) },
    toClient: ratio(perSecond.worker, perSecond.client),
  };
}

async function startWithWorkers(candidate, { folder, port }) {
  const config = join(folder, "toolhost.yaml");
  await writeFile(config, `tools:\n  - workers: { token: ${token} }\n`);
  return startServer({ ...candidate, env: { ...candidate.env, TOOLHOST_CONFIG: config } }, { port });
}

function startWorker(command, env) {
  const [file, ...args] = pinned("load", command);
  return spawnChild(file, args, {
    env: { PATH: process.env.PATH, TOOLHOST_WORKER_TOKEN: token, ...env },
    stdio: "ignore",
  });
}

function requestTo({ url }, tool, args) {
  const { path, ...request } = invokeCall(tool)(args);
  return { ...request, url: `${url}${path}` };
}

async function firstGoodAnswer({ url, ...request }) {
  const endsAt = Date.now() + startLimitMs;
  for (;;) {
    const answer = await (await fetch(url, request)).json();
    if (answer.status === "ok") return;
    if (Date.now() > endsAt) throw new Error(`${url} answers ${JSON.stringify(answer)}`);
    await sleep(20);
  }
}
