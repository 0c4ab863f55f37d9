import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../cli/toolhost.ts";
import { type CallOutcome, token, type WorkerService } from "./worker-service.ts";

const mainFile = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));

export interface WorkerProcess {
  /** Ends it with a signal. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** `toolhost worker` as a process that has registered, until the test ends. */
export async function startWorker(folder: string, { url }: WorkerService, concurrency: number): Promise<WorkerProcess> {
  const args = [mainFile, "worker", folder, "--name", "billing", "--concurrency", String(concurrency)];
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], TOOLHOST_URL: url, TOOLHOST_WORKER_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise((resolve) => child.once("close", resolve));
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  onTestFinished(() => kill("SIGKILL"));
  await new Promise<void>((resolve, reject) => {
    let log = "";
    const read = (text: string): void => {
      log += text;
      if (log.includes('"msg":"registered"')) resolve();
    };
    child.stderr?.setEncoding("utf8").on("data", read);
    void exited.then(() => reject(new Error(`the worker ended: ${log}`)));
  });
  // The rest of its log is not kept.
  child.stderr?.removeAllListeners("data").resume();
  return { kill };
}

export function writeTool(folder: string, name: string, text: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "tool.mjs"), text);
}

export interface Answered {
  /** The argument of the call, which no other call has. */
  readonly n: number;
  readonly outcome: CallOutcome;
  /** Unix time in milliseconds. */
  readonly endedAt: number;
}

export interface Disturbed {
  readonly answered: readonly Answered[];
  /** The runs, in order. `at` is Unix time in milliseconds. */
  readonly runs: readonly { readonly n: number; readonly at: number }[];
  /** How many workers were killed. */
  readonly kills: number;
  readonly seconds: number;
}

const callers = 128;
const workerCount = 4;
const concurrency = 32;

/**
 * Calls `charge` many times through four workers that are killed and started again at random. Each run leaves a line.
 * @param seed of the random numbers
 * @param survivors how many of the workers are not killed
 */
export async function callWhileKilled(
  service: WorkerService,
  { calls, seed, survivors = 0 }: { readonly calls: number; readonly seed: number; readonly survivors?: number },
): Promise<Disturbed> {
  const random = randomFrom(seed);
  const folder = temporaryFolder();
  const runs = join(folder, "runs");
  writeFileSync(runs, "");
  writeTool(
    join(folder, "tools"),
    "charge",
    `import { appendFileSync } from "node:fs";
export const tool = {
  name: "charge",
  description: "Leaves a line.",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  timeoutMs: 120000,
  async execute({ n }) {
    appendFileSync(${JSON.stringify(runs)}, n + " " + Date.now() + "\\n");
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 30));
    return n;
  },
};
`,
  );
  const start = (): Promise<WorkerProcess> => startWorker(join(folder, "tools"), service, concurrency);
  const workers = await Promise.all(Array.from({ length: workerCount }, start));

  const dispatcher = new Agent({ connections: callers, headersTimeout: 0, bodyTimeout: 0 });
  const answered: Answered[] = [];
  let next = 0;
  const callUntilDone = async (): Promise<void> => {
    for (let n = next++; n < calls; n = next++) {
      const { body } = await request(`${service.url}/tools/charge/invoke`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ n }),
        dispatcher,
      });
      answered.push({ n, outcome: (await body.json()) as CallOutcome, endedAt: Date.now() });
    }
  };
  let kills = 0;
  const disturb = async (victims: readonly number[]): Promise<void> => {
    while (answered.length < calls) {
      await sleep(300 + random() * 1500);
      const index = victims[Math.floor(random() * victims.length)]!;
      // One in four leaves as in a deployment.
      const signal = random() < 0.75 ? "SIGKILL" : "SIGTERM";
      if (signal === "SIGKILL") kills++;
      await workers[index]!.kill(signal);
      await sleep(random() * 500);
      workers[index] = await start();
    }
  };
  const victims = workers.map((_, index) => index).slice(survivors);
  const startedAt = Date.now();
  await Promise.all([
    ...Array.from({ length: callers }, callUntilDone),
    // Two at a time, whatever a start takes.
    disturb(victims.filter((index) => index % 2 === 0)),
    disturb(victims.filter((index) => index % 2 === 1)),
  ]);
  const seconds = (Date.now() - startedAt) / 1000;
  await dispatcher.close();
  return { answered, runs: readFileSync(runs, "utf8").trimEnd().split("\n").map(readRun), kills, seconds };
}

function readRun(line: string): Disturbed["runs"][number] {
  const [n = NaN, at = NaN] = line.split(" ").map(Number);
  return { n, at };
}

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
