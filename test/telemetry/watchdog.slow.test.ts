import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type RunningService, startService } from "../http/running-service.ts";

const tools = fileURLToPath(new URL("fixtures/tools", import.meta.url));

const start = (env: Record<string, string> = {}): Promise<RunningService> =>
  startService({ TOOLHOST_TOOLS: tools, ...env });

/** The watchdog's lines so far. */
const told = (service: RunningService): RunningService["entries"] =>
  service.entries.filter(({ msg }) => msg === "event loop blocked" || msg === "event loop free again");

async function becomesTrue(condition: () => boolean, withinMs = 5000): Promise<void> {
  const until = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > until) throw new Error("It did not become true in time.");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Calls the tool, and waits for both lines. @returns them, and whether the first came before the answer */
async function block(service: RunningService, way: string, ms = 1200) {
  const before = told(service).length;
  let isAnswered = false;
  const answer = service.call("block", { way, ms }).then((response) => {
    isAnswered = true;
    return response.json();
  });
  await becomesTrue(() => told(service).length > before || isAnswered, 30_000);
  const wasBlocked = !isAnswered;
  expect(await answer).toMatchObject({ status: "ok", result: { blocked: true } });
  await becomesTrue(() => told(service).length === before + 2);
  const [during, after] = told(service).slice(before);
  return { wasBlocked, during, after };
}

async function blockedMetrics(service: RunningService): Promise<string[]> {
  const text = await (await service.request("/metrics")).text();
  return text.split("\n").filter((line) => line.startsWith("toolhost_event_loop_blocked"));
}

describe("the watchdog", () => {
  it("names a tool that blocks the event loop, while it blocks and when it has ended", async () => {
    const service = await start();
    const { wasBlocked, during, after } = await block(service, "loop");
    expect(wasBlocked).toBe(true);
    expect(during).toEqual({
      level: "warn",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      tool: "block",
      blockedMs: expect.any(Number),
      msg: "event loop blocked",
    });
    expect(during?.["blockedMs"]).toBeGreaterThanOrEqual(500);
    expect(after).toMatchObject({ level: "warn", tool: "block" });
    expect(after?.["blockedMs"]).toBeGreaterThanOrEqual(1150);

    const [count, seconds] = await blockedMetrics(service);
    expect(count).toBe('toolhost_event_loop_blocked_total{tool="block"} 1');
    expect(seconds).toMatch(/^toolhost_event_loop_blocked_seconds_total\{tool="block"\} [1-9]/);
  });

  it.each([
    "after an await",
    "in CommonJS after an await",
    "pattern",
    "pattern after an await",
    "process",
    "microtasks",
  ])(
    "names the tool while it blocks by: %s",
    async (way) => {
      const { wasBlocked, during, after } = await block(await start(), way);
      expect(wasBlocked).toBe(true);
      expect(during).toMatchObject({ tool: "block" });
      expect(after).toMatchObject({ tool: "block" });
    },
    30_000,
  );

  it("names a tool in native code after an await when it comes back from there", async () => {
    const service = await start();
    const { wasBlocked, during, after } = await block(service, "process after an await", 1500);
    expect(wasBlocked).toBe(true);
    expect(during).toMatchObject({ tool: "unknown" });
    expect(after).toMatchObject({ tool: "block" });
    expect((await blockedMetrics(service))[0]).toBe('toolhost_event_loop_blocked_total{tool="block"} 1');
  });

  it("accuses nobody of what is no tool's code", async () => {
    const service = await start();
    const { during, after } = await block(service, "code of nobody");
    expect(during).toMatchObject({ tool: "unknown" });
    expect(after).toMatchObject({ tool: "unknown" });
    expect((await blockedMetrics(service))[0]).toBe('toolhost_event_loop_blocked_total{tool="unknown"} 1');
  });

  it("accuses nobody of many short turns of several tools", async () => {
    const service = await start();
    const calls = Array.from({ length: 30 }, (_, index) => service.call(index % 2 === 0 ? "turn" : "other_turn"));
    await Promise.all(calls);
    await becomesTrue(() => told(service).length === 2);
    expect(told(service)).toMatchObject([{ tool: "unknown" }, { tool: "unknown" }]);
  });

  it("tells of a tool that never comes back, although the service answers nobody any more", async () => {
    const service = await start();
    service.call("block", { way: "for ever" }).catch(() => undefined);
    await becomesTrue(() => told(service).length > 0);
    expect(told(service)).toMatchObject([{ tool: "block", msg: "event loop blocked" }]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(told(service).length).toBe(1); // Once, not with every look.
  });

  it("says nothing of a service that is busy, but turns", async () => {
    const service = await start();
    const until = performance.now() + 2500;
    const callUntil = async (): Promise<void> => {
      while (performance.now() < until) expect((await service.call("answer")).status).toBe(200);
    };
    await Promise.all(Array.from({ length: 20 }, callUntil));
    expect(told(service)).toEqual([]);
    expect(await blockedMetrics(service)).toEqual([]);
  });

  it("says nothing of a machine that was asleep", async () => {
    const service = await start();
    expect((await service.call("answer")).status).toBe(200);
    service.signal("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    service.signal("SIGCONT");
    expect((await service.call("answer")).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(told(service)).toEqual([]);
  });

  it("writes nothing where the log is for graver things, and counts all the same", async () => {
    const service = await start({ LOG_LEVEL: "error" });
    await service.call("block", { way: "loop", ms: 1200 });
    let metrics: string[] = [];
    const until = performance.now() + 3000;
    while (metrics.length === 0 && performance.now() < until) metrics = await blockedMetrics(service);
    expect(metrics[0]).toBe('toolhost_event_loop_blocked_total{tool="block"} 1');
    expect(told(service)).toEqual([]);
  });

  it("does not keep the service from ending", async () => {
    const service = await start();
    await block(service, "loop");
    service.signal("SIGTERM");
    expect(await service.exited).toBe(0);
  });
});
