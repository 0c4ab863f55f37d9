import { expect, it, vi } from "vitest";
import { temporaryFolder } from "../cli/toolhost.ts";
import { callWhileKilled, startWorker, writeTool } from "./killed-workers.ts";
import { startWorkerService } from "./worker-service.ts";

const leaseMs = 3000;
/** How much later than its lease a call may end: the service looks for ended leases now and then, on a busy machine. */
const slackMs = 3000;
const timeout = 300_000;

function newSeed(): number {
  const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);
  console.log(`CHAOS_SEED=${seed}`);
  return seed;
}

it(
  "answers each of 20,000 calls, runs none twice, and says which are lost with their worker",
  { timeout },
  async () => {
    const calls = 20_000;
    const service = await startWorkerService({ leaseMs, settings: { queueMs: 120_000 } });
    const { answered, runs, kills, seconds } = await callWhileKilled(service, { calls, seed: newSeed() });

    const ranAt = new Map(runs.map(({ n, at }) => [n, at]));
    const ok = answered.filter(({ outcome }) => outcome.status === "ok");
    const lost = answered.filter(({ outcome }) => outcome.error?.["ran"] === "unknown");
    const waits = lost.flatMap(({ n, endedAt }) => (ranAt.has(n) ? [endedAt - ranAt.get(n)!] : []));
    const longest = Math.max(...waits);
    console.log(
      `${seconds.toFixed(0)} s, ${kills} workers killed, ${lost.length} calls lost, ${waits.length} of them running, longest wait ${longest} ms`,
    );
    expect(new Set(answered.map(({ n }) => n)).size).toBe(calls);
    expect(answered).toHaveLength(calls);
    expect(ranAt.size).toBe(runs.length); // None ran twice.
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
    expect(ok.length).toBeGreaterThan(calls * 0.8);
    expect(longest).toBeLessThan(leaseMs + slackMs);
    expect(service.registry.load.calls).toBe(0);
  },
);

it("loses no call of a tool that may run twice while one worker lives", { timeout }, async () => {
  const calls = 5000;
  const overrides = { charge: { annotations: { idempotent: true } } };
  const service = await startWorkerService({ leaseMs, settings: { queueMs: 120_000, overrides } });
  const disturbed = await callWhileKilled(service, { calls, seed: newSeed(), survivors: 1 });
  const { answered, runs, kills, seconds } = disturbed;
  console.log(`${seconds.toFixed(0)} s, ${kills} workers killed, ${runs.length - calls} calls ran again`);
  expect(answered.filter(({ n, outcome }) => outcome.result !== n)).toEqual([]);
  expect(answered).toHaveLength(calls);
  expect(kills).toBeGreaterThan(0);
});

it("keeps a worker whose only thread is busy for several leases", { timeout }, async () => {
  const service = await startWorkerService({ leaseMs, settings: { queueMs: 1000 } });
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
    const until = Date.now() + ${4 * leaseMs};
    while (Date.now() < until);
    return "free";
  },
};
`,
  );
  await startWorker(folder, service, 1);
  const first = service.call("busy");
  await vi.waitFor(() => expect(service.registry.load.calls).toBe(1));
  // It lives, so this call is not `unavailable`.
  expect(await service.call("busy")).toMatchObject({ error: { code: "busy", ran: "no" } });
  expect(await first).toMatchObject({ status: "ok", result: "free" });
});
