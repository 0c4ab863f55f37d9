import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../cli/toolhost.ts";
import { type CallOutcome, startWorkerService, token, type WorkerService } from "./worker-service.ts";

const mainFile = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));
const patience = { timeout: 60_000, interval: 20 };

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

function writeTool(folder: string, name: string, text: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "tool.mjs"), text);
}

interface WorkerProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
}

function startWorker(folder: string, { url }: WorkerService, concurrency: number): WorkerProcess {
  const args = [mainFile, "worker", folder, "--name", "billing", "--concurrency", String(concurrency)];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], TOOLHOST_URL: url, TOOLHOST_WORKER_TOKEN: token, LOG_LEVEL: "error" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return { child, exited: new Promise((resolve) => child.once("close", resolve)) };
}

interface Answered {
  readonly n: number;
  readonly outcome: CallOutcome;
  readonly endedAt: number;
}

describe("workers that are killed while they run calls", () => {
  const leaseMs = 3000;
  const calls = 20_000;
  const callers = 128;
  const workerCount = 4;
  const concurrency = 32;
  /** How much later than the lease an answer may come: the service looks for ended leases now and then, and the machine is busy. */
  const slackMs = 2000;

  it(
    `answers each of ${calls} calls once, runs none twice, and says which are lost`,
    { timeout: 300_000 },
    async () => {
      const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);
      console.log(`CHAOS_SEED=${seed}`);
      const random = randomFrom(seed);
      const service = await startWorkerService({ leaseMs, settings: { queueMs: 120_000 } });
      const folder = temporaryFolder();
      const runs = join(folder, "runs");
      writeFileSync(runs, "");
      // Not idempotent: each run leaves a line.
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
      const start = (): WorkerProcess => startWorker(join(folder, "tools"), service, concurrency);
      const workers = Array.from({ length: workerCount }, start);
      const kill = async ({ child, exited }: WorkerProcess, signal: NodeJS.Signals): Promise<void> => {
        child.kill(signal);
        await exited;
      };
      onTestFinished(async () => {
        await Promise.all(workers.map((worker) => kill(worker, "SIGKILL")));
      });
      await vi.waitFor(() => expect(service.registry.find("charge")).toBeDefined(), patience);

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
      const disturb = async (): Promise<void> => {
        while (answered.length < calls) {
          await sleep(300 + random() * 1500);
          const index = Math.floor(random() * workerCount);
          // One in four leaves as in a deployment, and loses nothing.
          const signal = random() < 0.75 ? "SIGKILL" : "SIGTERM";
          if (signal === "SIGKILL") kills++;
          await kill(workers[index]!, signal);
          await sleep(random() * 500);
          workers[index] = start();
        }
      };
      const startedAt = Date.now();
      await Promise.all([...Array.from({ length: callers }, callUntilDone), disturb()]);

      const lines = readFileSync(runs, "utf8").trimEnd().split("\n");
      const ranAt = new Map(lines.map((line) => line.split(" ").map(Number) as [number, number]));
      const codes = answered.map(({ outcome }) => (outcome.status === "ok" ? "ok" : outcome.error?.code));
      const lost = answered.filter(({ outcome }) => outcome.error?.["ran"] === "unknown");
      const waitsOfLost = lost.flatMap(({ n, endedAt }) => (ranAt.has(n) ? [endedAt - ranAt.get(n)!] : []));
      const seconds = (Date.now() - startedAt) / 1000;
      console.log(
        `${calls} calls in ${seconds.toFixed(0)} s; ${kills} workers killed, ${lost.length} calls lost, of which ${waitsOfLost.length} had begun; the longest wait for one was ${Math.max(...waitsOfLost)} ms`,
      );

      expect(answered).toHaveLength(calls);
      expect(new Set(answered.map(({ n }) => n)).size).toBe(calls);
      // None ran twice.
      expect(lines).toHaveLength(ranAt.size);
      for (const { n, outcome } of answered) {
        if (outcome.status === "ok") expect([outcome.result, ranAt.has(n)]).toEqual([n, true]);
        else if (outcome.error?.code === "upstream_failed") {
          expect(outcome.error).toMatchObject({ ran: "unknown", retryable: false });
        } else {
          // No worker lived at the moment.
          expect(outcome.error).toMatchObject({ code: "unavailable", ran: "no", retryable: true });
          expect(ranAt.has(n)).toBe(false);
        }
      }
      expect(lost.length).toBeGreaterThan(0);
      expect(codes.filter((code) => code === "ok").length).toBeGreaterThan(calls * 0.8);
      expect(Math.max(...waitsOfLost)).toBeLessThan(leaseMs + slackMs);
      expect(service.registry.load.calls).toBe(0);
      await dispatcher.close();
    },
  );
});

it("keeps a worker whose only thread is busy for several leases", { timeout: 120_000 }, async () => {
  const leaseMs = 2000;
  const service = await startWorkerService({ leaseMs });
  const folder = temporaryFolder();
  writeTool(
    folder,
    "busy",
    `export const tool = {
  name: "busy",
  description: "Blocks its thread.",
  parameters: { type: "object" },
  timeoutMs: 60000,
  execute() {
    const until = Date.now() + 12000;
    while (Date.now() < until);
    return "free";
  },
};
`,
  );
  const { child, exited } = startWorker(folder, service, 1);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  await vi.waitFor(() => expect(service.registry.find("busy")).toBeDefined(), patience);
  const first = service.call("busy");
  await vi.waitFor(() => expect(service.registry.load.calls).toBe(1), patience);
  // It lives, so that this call is not `unavailable`.
  expect(await service.call("busy")).toMatchObject({ error: { code: "busy", ran: "no" } });
  expect(await first).toMatchObject({ status: "ok", result: "free" });
});
