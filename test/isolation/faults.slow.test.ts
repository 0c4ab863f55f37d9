import { describe, expect, it } from "vitest";
import { cancel } from "../../src/core/call/call.ts";
import { runningCalls, stopCalls } from "../../src/core/call/running-call.ts";
import { CallError } from "../../src/errors/errors.ts";
import { errorOf, resultOf, sleep } from "../core/one-tool.ts";
import { countThreads, eventually, toolInThread } from "./tools-in-threads.ts";

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  return { value: await work(), ms: performance.now() - start };
}

/** Has all that a thread says, and its end, arrive at once. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe("a tool that does not end", () => {
  it.each(["spin", "never"])("is killed at its limit and replaced (T1, T2, T3): %s", async (way) => {
    const { call } = await toolInThread("shaky");
    await call({ way: "where" });
    const { ms, value } = await timed(() => call({ way }, { timeoutMs: 300 }));
    expect(errorOf(value)).toMatchObject({
      code: "timeout",
      ran: "unknown",
      message: expect.stringContaining("300 ms"),
    });
    expect(ms).toBeGreaterThanOrEqual(299);
    expect(ms).toBeLessThan(400);
    const next = await timed(() => call({ way: "echo", value: 1 }));
    expect(resultOf(next.value)).toBe(1);
  });

  it("leaves no thread behind, however often it is called", async () => {
    const { call } = await toolInThread("shaky");
    for (let count = 0; count < 10; count++) {
      expect(errorOf(await call({ way: "spin" }, { timeoutMs: 100 })).code).toBe("timeout");
    }
    await eventually(() => countThreads() <= 1);
  });

  it("is killed when its caller leaves", async () => {
    const { call } = await toolInThread("shaky");
    const { threadId } = resultOf(await call({ way: "where" })) as { threadId: number };
    const cancellation = { cancelled: false };
    const pending = call({ way: "spin" }, { cancellation });
    await sleep(50);
    cancel(cancellation);
    expect(errorOf(await pending).code).toBe("cancelled");
    const { threadId: next } = resultOf(await call({ way: "where" })) as { threadId: number };
    expect(next).toBeGreaterThan(threadId);
  });

  it("is killed when the service stops", async () => {
    const { call, registry } = await toolInThread("shaky");
    const pending = call({ way: "spin" });
    await eventually(() => runningCalls(registry).length === 1);
    await sleep(50);
    stopCalls(registry, new CallError("cancelled", "The service ends."));
    expect(errorOf(await pending)).toMatchObject({ code: "cancelled", message: "The service ends." });
  });
});

describe("a tool that brings its thread down", () => {
  it.each([
    ["exit", "the tool ended its thread"],
    ["throw_later", "thrown in a timer"],
    ["reject_apart", "rejected apart"],
  ])("has failed at once, and is replaced (T4, R7): %s", async (way, why) => {
    const { call, calls } = await toolInThread("shaky");
    await call({ way: "where" });
    const { ms, value } = await timed(() => call({ way }));
    expect(errorOf(value)).toMatchObject({ code: "tool_failed", retryable: false });
    expect(ms).toBeLessThan(1000);
    expect(String(calls.at(-1)?.cause)).toContain(why);
    expect(resultOf(await call({ way: "echo", value: 1 }))).toBe(1);
  });

  it.each(["abort", "chdir"])("cannot do so by what Node keeps from threads (T4): %s", async (way) => {
    const { call } = await toolInThread("shaky");
    const before = resultOf(await call({ way: "where" }));
    expect(errorOf(await call({ way })).code).toBe("tool_failed");
    expect(resultOf(await call({ way: "where" }))).toEqual(before);
  });

  it("between calls is replaced for the next one, and the log says why", async () => {
    const { call, log } = await toolInThread("shaky");
    expect(resultOf(await call({ way: "throw_after_answer" }))).toBe("done");
    await eventually(() => log.length > 0);
    expect(log).toEqual([
      { tool: "shaky", level: "error", message: "a thread ended between calls: thrown between calls" },
    ]);
    expect(resultOf(await call({ way: "echo", value: 1 }))).toBe(1);
  });

  it("right after its answer has answered all the same", async () => {
    const { call, log } = await toolInThread("shaky");
    for (let count = 0; count < 10; count++) {
      await call({ way: "where" });
      const pending = call({ way: "exit_after_answer" });
      await sleep(0);
      block(200);
      expect(resultOf(await pending)).toBe("done");
      await eventually(() => log.length > count);
      expect(log[count]?.message).toBe("a thread ended between calls: the tool ended its thread");
    }
  });

  it("as it does not load is told from one that exits", async () => {
    for (let count = 0; count < 10; count++) {
      const { call, log } = await toolInThread("throwing");
      const pending = call();
      await sleep(0);
      block(200);
      expect(errorOf(await pending).code).toBe("unavailable");
      expect(log.map(({ message }) => message)).toEqual([
        "a thread ended before the tool was loaded: no database to be found",
      ]);
    }
  });

  it("each time it starts is unavailable at once, and is tried less and less", async () => {
    const { call } = await toolInThread("unloadable");
    const start = performance.now();
    let boots = 0;
    while (performance.now() - start < 1500) {
      const error = errorOf(await call());
      expect(error).toMatchObject({ code: "unavailable", ran: "no", retryable: true });
      if (error.retryAfterMs === undefined) boots++;
      else await sleep(5);
    }
    expect(boots).toBeGreaterThan(1);
    expect(boots).toBeLessThan(6);
  });
});

describe("a tool that eats memory", () => {
  it.each(["objects", "array", "map"])("has failed, and takes nothing with it (T5): %s", async (way) => {
    const { call, calls } = await toolInThread("shaky", { timeoutMs: 30_000 });
    expect(errorOf(await call({ way })).code).toBe("tool_failed");
    expect(String(calls.at(-1)?.cause)).toContain("more memory than its thread may use");
    expect(resultOf(await call({ way: "echo", value: 1 }))).toBe(1);
  });

  it("between calls has its thread ended, and the log says why", async () => {
    const { call, log } = await toolInThread("shaky");
    expect(resultOf(await call({ way: "leak" }))).toBe("done");
    await eventually(() => log.length > 0);
    expect(log.map(({ message }) => message)).toEqual([
      "a thread ended between calls: the tool used more memory than its thread may use",
    ]);
    expect(resultOf(await call({ way: "echo", value: 1 }))).toBe(1);
  });

  it("while it loads is unavailable before the time to load is over", async () => {
    const { call, log } = await toolInThread("swelling", { timeoutMs: 30_000 });
    const { ms, value } = await timed(() => call());
    expect(errorOf(value).code).toBe("unavailable");
    expect(ms).toBeLessThan(8000);
    expect(log[0]?.message).toBe(
      "a thread ended before the tool was loaded: the tool used more memory than its thread may use",
    );
  });

  it("bit by bit in quick calls is found out", async () => {
    const { call } = await toolInThread("shaky", {}, { heapMb: 32 });
    const { threadId } = resultOf(await call({ way: "where" })) as { threadId: number };
    for (let mb = 0; mb < 40; mb += 2) expect(resultOf(await call({ way: "keep", mb: 2 }))).toBe(true);
    await eventually(async () => {
      const outcome = await call({ way: "where" });
      return outcome.status === "ok" && (outcome.result as { threadId: number }).threadId !== threadId;
    });
  });

  it("and lets go of it keeps its thread", async () => {
    const { call, log } = await toolInThread("shaky", {}, { heapMb: 16 });
    const before = resultOf(await call({ way: "where" }));
    for (let count = 0; count < 4; count++) await call({ way: "litter", mb: 10 });
    await sleep(1500);
    expect(log).toEqual([]);
    expect(resultOf(await call({ way: "where" }))).toEqual(before);
  });

  it("is no tool that leaves much garbage", async () => {
    const { call } = await toolInThread("shaky");
    expect(resultOf(await call({ way: "garbage", ms: 1000 }))).toBe(true);
  });

  it("is one that the operator allows less", async () => {
    const { call } = await toolInThread("shaky", {}, { heapMb: 16 });
    expect(errorOf(await call({ way: "hold", ms: 3000, mb: 24 })).code).toBe("tool_failed");
    expect(resultOf(await call({ way: "hold", ms: 500, mb: 1 }))).toBe("held");
  });
});

describe("a tool that changes what is global", () => {
  it("changes its thread alone (T8)", async () => {
    const { call } = await toolInThread("shaky");
    await call({ way: "pollute" });
    expect({}).not.toHaveProperty("polluted");
    expect(globalThis).not.toHaveProperty("polluted");
    expect(process.env["POLLUTED"]).toBeUndefined();
    expect(JSON.parse("[1]")).toEqual([1]);
    expect(resultOf(await call({ way: "echo", value: [1] }))).toEqual([1]);
  });

  it.each(["pollute", "pollute_keys", "pollute_prototype"])(
    "spoils no later call: it gets another thread, and the log says why: %s",
    async (way) => {
      const { call, log } = await toolInThread("shaky");
      const { threadId } = resultOf(await call({ way: "where" })) as { threadId: number };
      await call({ way });
      expect(log.map(({ message }) => message).join()).toContain("changed built-in objects of its thread");
      expect(resultOf(await call({ way: "where" }))).not.toMatchObject({ threadId });
      expect(resultOf(await call({ way: "echo", value: { a: [1] } }))).toEqual({ a: [1] });
    },
  );

  it("between calls fails the next one rather than spoil it", async () => {
    const { call } = await toolInThread("shaky");
    expect(resultOf(await call({ way: "pollute_later" }))).toBe("done");
    await sleep(100);
    expect(errorOf(await call({ way: "echo", value: [1] })).code).toBe("tool_failed");
    expect(resultOf(await call({ way: "echo", value: [1] }))).toEqual([1]);
  });

  it("cannot change its caller's arguments", async () => {
    const { call } = await toolInThread("shaky");
    const args = { way: "delete_arguments", list: [1] };
    expect(resultOf(await call(args))).toBe("deleted");
    expect(args).toEqual({ way: "delete_arguments", list: [1] });
  });

  it("finds no way to the service in what Node gives a thread", async () => {
    const { call } = await toolInThread("shaky");
    expect(resultOf(await call({ way: "reach" }))).toEqual({ workerData: [] });
    expect(resultOf(await call({ way: "echo", value: "mine" }))).toBe("mine");
  });
});
