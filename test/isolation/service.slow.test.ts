import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type RunningService, startService } from "../http/running-service.ts";

const folder = fileURLToPath(new URL("fixtures/service", import.meta.url));

async function codeOf(service: RunningService, tool: string): Promise<string | null> {
  return (await service.call(tool)).headers.get("toolhost-outcome");
}

/** Calls until told to stop. @returns how long each call took, in milliseconds, sorted */
async function repeat(work: () => Promise<void>, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

const median = (times: readonly number[]): number => times[Math.floor(times.length / 2)] ?? Infinity;

it("a service answers while one tool loops for ever and another takes all memory, each in its thread", async () => {
  const service = await startService({ TOOLHOST_TOOLS: folder });
  const quick = async (): Promise<void> => expect(await codeOf(service, "quick")).toBe("ok");
  const forMs = (ms: number) => {
    const end = performance.now() + ms;
    return () => performance.now() > end;
  };
  await repeat(quick, forMs(500));
  const idleMs = median(await repeat(quick, forMs(1000)));

  const isOver = forMs(5000);
  const livez = async (): Promise<void> => {
    expect((await service.request("/livez")).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const [looped, allocated, alive, others] = await Promise.all([
    repeat(async () => expect(await codeOf(service, "looping")).toBe("timeout"), isOver),
    repeat(async () => expect(await codeOf(service, "allocating")).toBe("tool_failed"), isOver),
    repeat(livez, isOver),
    repeat(quick, isOver),
  ]);
  const figures = { idleMs, medianMs: median(others), livezMs: alive.at(-1), loopedMs: median(looped) };
  expect(alive.at(-1), JSON.stringify(figures)).toBeLessThan(300);
  expect(median(others), JSON.stringify(figures)).toBeLessThan(idleMs * 2);
  expect(figures.loopedMs, JSON.stringify(figures)).toBeLessThan(400);
  expect(allocated.length).toBeGreaterThan(0);

  service.signal("SIGTERM");
  expect(await service.exited).toBe(0);
}, 30_000);
