import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { invokeCall } from "./candidates.mjs";
import { spawnChild } from "./children.mjs";
import { pinned } from "./pin.mjs";
import { rotate, sampleOf, warmUp } from "./rounds.mjs";
import { ratio, spread } from "./statistics.mjs";
import { startServer } from "./start.mjs";

const batchingWorker = fileURLToPath(new URL("servers/batching-worker.mjs", import.meta.url));
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
  await writeFile(join(folder, "toolhost.yaml"), `tools:\n  - workers: { token: ${token} }\n`);
  const env = { ...candidate.env, TOOLHOST_CONFIG: join(folder, "toolhost.yaml") };
  const server = await startServer({ ...candidate, env }, { port });
  const [file, ...args] = pinned("load", [node, batchingWorker]);
  const worker = spawnChild(file, args, {
    env: { PATH: process.env.PATH, SERVICE_URL: server.url, TOOLHOST_WORKER_TOKEN: token, TOOL_NAME: name },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const requestOf = (tool) => {
    const { path, ...request } = invokeCall(tool)(input);
    return { ...request, url: `${server.url}${path}` };
  };
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

async function firstGoodAnswer({ url, ...request }) {
  const endsAt = Date.now() + startLimitMs;
  for (;;) {
    const answer = await (await fetch(url, request)).json();
    if (answer.status === "ok") return;
    if (Date.now() > endsAt) throw new Error(`${url} answers ${JSON.stringify(answer)}`);
    await sleep(20);
  }
}
