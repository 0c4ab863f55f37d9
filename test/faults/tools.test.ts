import { describe, expect, vi } from "vitest";
import { exchangeText, requestText } from "../http/node/raw-socket.ts";
import { fault } from "./fault.ts";
import { ask, call, counters, expectAlive, get, ownService, type Service, sharedService } from "./service.ts";

const service = sharedService();

async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** How long each of so many calls of another tool takes, one after the other. @returns the median, in milliseconds */
async function medianCallMs(target: Service, count: number): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await elapsed(() => call(target, "echo")));
  return times.sort((a, b) => a - b)[Math.floor(count / 2)]!;
}

describe("a tool that takes too long", () => {
  fault(
    "T1",
    "is answered timeout at its limit, under load too, and its signal is aborted for that reason",
    async () => {
      const before = await counters(service());
      const calls = Array.from({ length: 20 }, async () => {
        const start = performance.now();
        const answer = await call(service(), "slow", { heed: true });
        return { ms: performance.now() - start, code: answer.code, ran: answer.body.error?.ran };
      });
      for (const { ms, code, ran } of await Promise.all(calls)) {
        expect({ code, ran }).toEqual({ code: "timeout", ran: "unknown" });
        expect(ms).toBeGreaterThanOrEqual(295);
        expect(ms).toBeLessThan(700);
      }
      const after = await counters(service());
      expect(after["aborted"]! - before["aborted"]!).toBe(20);
      await expectAlive(service());
    },
  );

  fault(
    "T2",
    "and ignores its signal is answered as soon, and its breaker opens before such calls fill the memory",
    async () => {
      expect(await elapsed(() => call(service(), "slow"))).toBeLessThan(700);
      // On a service of its own: the open breaker is for good, as the calls are.
      const own = await ownService();
      const codes = new Set<string>();
      for (let round = 0; round < 60 && !codes.has("unavailable"); round++) {
        const calls = Array.from({ length: 50 }, () => call(own, "deaf"));
        for (const { code } of await Promise.all(calls)) codes.add(code);
      }
      expect([...codes].sort()).toEqual(["timeout", "unavailable"]);
      expect((await call(own, "deaf")).body.error).toMatchObject({ code: "unavailable", ran: "no", retryable: true });
      expect((await call(own, "echo")).code).toBe("ok");
    },
  );

  fault(
    "T3",
    "and blocks a thread is killed at its limit while others are served; one that blocks the service is named",
    async () => {
      const idleMs = await medianCallMs(service(), 40);
      for (const pattern of [false, true]) {
        let answered = false;
        const blocked = call(service(), "thread_block", { pattern }).finally(() => (answered = true));
        const livez: number[] = [];
        while (!answered) livez.push(await elapsed(() => get(service(), "/livez")));
        expect((await blocked).code).toBe("timeout");
        expect(Math.max(...livez)).toBeLessThan(300);
      }
      const beside = call(service(), "thread_block");
      const busyMs = await medianCallMs(service(), 40);
      await beside;
      expect(busyMs).toBeLessThan(Math.max(idleMs * 4, 25));
      expect((await call(service(), "thread_end", { how: "not" })).code).toBe("ok");

      await call(service(), "block", { ms: 1200 });
      await vi.waitFor(
        async () => {
          expect(
            service().entries.some(
              (line) => line["tool"] === "block" && ["warn", "error"].includes(String(line["level"])),
            ),
          ).toBe(true);
          expect(await (await get(service(), "/metrics")).text()).toMatch(/blocked[a-z_]*\{tool="block"\} /);
        },
        { timeout: 5000, interval: 50 },
      );
      await expectAlive(service());
    },
  );
});

describe("a tool that ends or eats the process", () => {
  fault("T4", "by process.exit or abort is tool_failed, in a thread or not, and the next call works", async () => {
    expect((await call(service(), "end")).code).toBe("tool_failed");
    for (const how of ["exit", "abort"]) {
      expect((await call(service(), "thread_end", { how })).code, how).toBe("tool_failed");
      expect((await call(service(), "thread_end", { how: "not" })).code).toBe("ok");
    }
    await expectAlive(service());
  });

  fault(
    "T5",
    "by memory in a thread is tool_failed, and the service lives",
    async () => {
      const eaten = call(service(), "thread_memory", {}, {}, 25_000);
      expect((await call(service(), "echo")).code).toBe("ok");
      expect((await eaten).code).toBe("tool_failed");
      expect((await call(service(), "thread_memory", { small: true })).code).toBe("ok");
      await expectAlive(service());
    },
    30_000,
  );

  fault(
    "T6",
    "call by call, however it ends, leaves the service's heap and handles as they were",
    async () => {
      const own = await ownService({ node: ["--expose-gc"] });
      const vitals = async (): Promise<{ heapBytes: number; handles: number }> =>
        (await call(own, "vitals")).body.result as { heapBytes: number; handles: number };
      const batch = JSON.stringify({
        calls: [
          ...Array(90).fill({ name: "echo", arguments: { text: "x".repeat(200) } }),
          ...Array(20).fill({ name: "throws", arguments: { what: "secret" } }),
          ...Array(10).fill({ name: "slow", arguments: { heed: true } }),
          ...Array(8).fill({ name: "returns", arguments: { what: "undefined" } }),
        ],
      });
      const round = async (batches: number): Promise<void> => {
        const request = requestText("POST /calls", { body: batch });
        for (let index = 0; index < batches; index += 6) {
          await Promise.all(Array.from({ length: 6 }, () => exchangeText(own.port, request, 5000)));
        }
      };
      await round(12);
      const before = await vitals();
      await round(30);
      const after = await vitals();
      expect(after.handles).toBeLessThanOrEqual(before.handles + 2);
      expect(after.heapBytes).toBeLessThan(before.heapBytes * 1.1 + 1_000_000);
    },
    30_000,
  );

  fault("T8", "by what all share changes nothing outside its thread", async () => {
    expect((await call(service(), "thread_tamper", { a: 1 })).code).toBe("ok");
    expect((await counters(service()))["polluted"]).toBe(0);
    expect((await call(service(), "echo", { a: [1] })).body.result).toEqual({ a: [1] });
    expect((await call(service(), "thread_end", { how: "not" })).body.result).toEqual({ well: true });
  });
});

describe("many calls at once", () => {
  fault(
    "T9",
    "of one tool run as many as its concurrency, wait a second at most, and leave other tools alone",
    async () => {
      const calls = Array.from({ length: 300 }, () => call(service(), "narrow", { ms: 100 }, {}, 15_000));
      const othersMs = await medianCallMs(service(), 20);
      const answers = await Promise.all(calls);
      expect(othersMs).toBeLessThan(150);
      const codes = answers.map(({ code }) => code);
      expect(new Set(codes)).toEqual(new Set(["ok", "busy"]));
      const done = answers.flatMap(({ body }) =>
        body.status === "ok" ? [(body.result as { most: number }).most] : [],
      );
      expect(Math.max(...done)).toBeLessThanOrEqual(10);
      const refused = answers.find(({ code }) => code === "busy");
      expect(refused?.body.error).toMatchObject({
        retryable: true,
        ran: "no",
        action: "retry_later",
        retryAfterMs: expect.any(Number),
      });
      await expectAlive(service());
    },
    20_000,
  );

  fault("T10", "in one body are at most 128, each with its own outcome in its own place", async () => {
    const batch = (calls: unknown): Promise<{ code: string; body: unknown; status: number }> =>
      ask(service(), requestText("POST /calls", { body: JSON.stringify({ calls }) }));
    expect((await batch(Array(129).fill({ name: "echo" }))).code).toBe("bad_request");
    expect((await batch(Array(10_000).fill({ name: "echo" }))).code).toBe("bad_request");
    const { status, body } = await batch([
      { id: "a", name: "echo", arguments: { n: 1 } },
      { id: "b", name: "throws", arguments: { what: "null" } },
      null,
      [{ calls: [] }],
      { id: "c", name: "none" },
      { id: "d", name: "slow" },
      { id: "e", name: "echo", arguments: { n: 2 } },
    ]);
    expect(status).toBe(200);
    const { results } = body as { results: Array<{ id: string; status: string; error?: { code: string } }> };
    expect(results.map(({ id, error }) => [id, error?.code ?? "ok"])).toEqual([
      ["a", "ok"],
      ["b", "tool_failed"],
      ["2", "invalid_arguments"],
      ["3", "invalid_arguments"],
      ["c", "unknown_tool"],
      ["d", "timeout"],
      ["e", "ok"],
    ]);
  });
});
