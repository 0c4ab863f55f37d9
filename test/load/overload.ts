import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type LoadedService, startLoadedService } from "./loaded-service.ts";
import { type LoadRow, mebibytes, milliseconds, percentile } from "./load-report.ts";
import type { OpenLoopFigures, OpenLoopPlan } from "./open-loop.ts";

const toolMs = 50;
const callsInFlight = 100;
/** What so many calls in flight of such a tool come to. */
const fullRate = (callsInFlight * 1000) / toolMs;
const leastGoodput = 0.8;
const refusalLimitMs = 100;
const recoveryLimitMs = 5000;
/** What memory may gain from the middle of the load to its end: noise, and nothing that goes on. */
const memoryLimitBytes = 16 * 1_048_576;

/** Three times of what the service lets in, offered whatever becomes of it. */
export async function checkOverload({ seconds }: { readonly seconds: number }): Promise<LoadRow[]> {
  const service = await startLoadedService({ config: `limits: { callsInFlight: ${callsInFlight} }\n` });
  try {
    const idleMs = await callMs(service);
    const plan = { port: service.port, tool: "wait", args: { ms: toolMs }, callsPerSecond: fullRate * 3, seconds };
    const [figures, memory] = await Promise.all([offer(plan), sampleMemory(service, seconds)]);
    const recoveredMs = await recover(service, idleMs);
    return describe(figures, memory, seconds, idleMs, recoveredMs);
  } finally {
    await service.stop();
  }
}

/** What generator and service manage together on this machine, with nothing refused. */
export async function measureCapacity({ seconds }: { readonly seconds: number }): Promise<LoadRow[]> {
  const rows: LoadRow[] = [];
  for (const callsPerSecond of [2000, 4000, 6000, 8000, 12_000]) {
    const service = await startLoadedService();
    const plan = { port: service.port, tool: "wait", args: { ms: toolMs }, callsPerSecond, seconds };
    const { ok, okMs, unanswered, worstLagMs } = await offer(plan);
    await service.stop();
    rows.push({
      check: `${callsPerSecond} calls/s of ${toolMs} ms, no limit`,
      limit: "as a measure of the machine",
      measured: `${Math.round(ok / seconds)}/s, median ${milliseconds(okMs.median)}, p99 ${milliseconds(okMs.p99)}, sent ${milliseconds(worstLagMs)} late at worst`,
      holds: unanswered === 0,
    });
  }
  return rows;
}

/** Runs the generator in a process of its own. */
export async function offer(plan: OpenLoopPlan): Promise<OpenLoopFigures> {
  const generator = fileURLToPath(new URL("open-loop.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", generator, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`The generator ended with ${code}.`);
  return JSON.parse(text) as OpenLoopFigures;
}

/** Resident memory, twice a second. */
async function sampleMemory(service: LoadedService, seconds: number): Promise<number[]> {
  const samples: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    samples.push(await service.metric("process_resident_memory_bytes"));
    await sleep(500);
  }
  return samples;
}

/** @returns how long it took until calls were as quick as before and none in flight, in milliseconds */
async function recover(service: LoadedService, idleMs: number): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < recoveryLimitMs * 2) {
    const ms = await callMs(service).catch(() => Infinity);
    const inFlight = await service.metric("toolhost_calls_in_flight");
    if (ms < idleMs * 2 && inFlight === 0) break;
    await sleep(50);
  }
  return performance.now() - startedAt;
}

async function callMs(service: LoadedService): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < 5; call++) {
    const startedAt = performance.now();
    await service.call("wait", { ms: toolMs });
    times.push(performance.now() - startedAt);
  }
  return percentile(
    times.sort((a, b) => a - b),
    0.5,
  );
}

function describe(
  { sent, ok, refused, withoutRetryAfter, unanswered, refusedMs, okMs, worstLagMs }: OpenLoopFigures,
  memory: readonly number[],
  seconds: number,
  idleMs: number,
  recoveredMs: number,
): LoadRow[] {
  const goodput = ok / seconds / fullRate;
  const codes = Object.entries(refused).map(([code, count]) => `${count} ${code}`);
  const middle = percentile(
    memory.slice(0, Math.ceil(memory.length / 2)).sort((a, b) => a - b),
    1,
  );
  const end = percentile(
    memory.slice(Math.ceil(memory.length / 2)).sort((a, b) => a - b),
    0.5,
  );
  return [
    {
      check: `goodput of ${fullRate}/s, with ${Math.round(sent / seconds)}/s offered for ${seconds} s`,
      limit: `at least ${leastGoodput * 100} %`,
      measured: `${(goodput * 100).toFixed(1)} %, median ${milliseconds(okMs.median)}, p99 ${milliseconds(okMs.p99)}`,
      holds: goodput >= leastGoodput,
    },
    {
      check: "the rest are refused",
      limit: "as overloaded, with Retry-After",
      measured: `${codes.join(", ")}; ${withoutRetryAfter} without Retry-After, ${unanswered} unanswered`,
      holds: Object.keys(refused).join() === "overloaded" && withoutRetryAfter === 0 && unanswered === 0,
    },
    {
      check: "time to a refusal",
      limit: `under ${refusalLimitMs} ms`,
      measured: `p99 ${milliseconds(refusedMs.p99)}, worst ${milliseconds(refusedMs.worst)}; sent ${milliseconds(worstLagMs)} late at worst`,
      holds: refusedMs.worst < refusalLimitMs,
    },
    {
      check: "memory, first half to second",
      limit: `flat: within ${mebibytes(memoryLimitBytes)}`,
      measured: `${mebibytes(middle)} to ${mebibytes(end)}`,
      holds: end - middle < memoryLimitBytes,
    },
    {
      check: "back to normal",
      limit: `within ${milliseconds(recoveryLimitMs)}`,
      measured: `${milliseconds(recoveredMs)} (a call takes ${milliseconds(idleMs)} before)`,
      holds: recoveredMs < recoveryLimitMs,
    },
  ];
}
