import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runningCalls } from "../../src/core/running-call.ts";
import { createRegistry, invoke } from "../../src/index.ts";
import { callTool, errorOf, resultOf, sleep, toolOf } from "./one-tool.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(async () => {
  await sleep(150);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

const never = () => new Promise(() => undefined);

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  return { value: await work(), ms: performance.now() - start };
}

describe("the time limit", () => {
  it("answers on time where the tool ignores its signal", async () => {
    const { ms, value } = await timed(() => callTool({ timeoutMs: 120, execute: never }));
    expect(errorOf(value)).toMatchObject({
      code: "timeout",
      action: "check_before_retry",
      retryable: false,
      ran: "unknown",
    });
    expect(ms).toBeGreaterThanOrEqual(119.9);
    expect(ms).toBeLessThan(220);
  });

  it.each([{ readOnly: true }, { idempotent: true }])(
    "may be met again by the same call where %j",
    async (annotations) => {
      const outcome = await callTool({ timeoutMs: 5, annotations, execute: never });
      expect(errorOf(outcome)).toMatchObject({
        code: "timeout",
        action: "retry",
        retryable: true,
        ran: "unknown",
      });
    },
  );

  it("aborts the signal with a TimeoutError", async () => {
    let signal: AbortSignal | undefined;
    const execute = (_: unknown, context: { signal: AbortSignal }) => {
      signal = context.signal;
      expect(signal.aborted).toBe(false);
      return never();
    };
    await callTool({ timeoutMs: 20, execute });
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("gives an aborted signal to a tool that asks for it only afterwards", async () => {
    let late: Promise<AbortSignal> | undefined;
    await callTool({
      timeoutMs: 10,
      execute: (_, context) => (late = sleep(40).then(() => context.signal)),
    });
    expect((await late)?.aborted).toBe(true);
  });

  it("is shortened by the call and never lengthened", async () => {
    const short = await timed(() => callTool({ timeoutMs: 5000, execute: never }, { timeoutMs: 30 }));
    expect(errorOf(short.value)).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("30 ms"),
    });
    const long = await timed(() => callTool({ timeoutMs: 30, execute: never }, { timeoutMs: 5000 }));
    expect(errorOf(long.value).message).toContain("30 ms");
    expect(long.ms).toBeLessThan(130);
  });

  it("is the registry's for a tool that names none", async () => {
    expect(errorOf(await callTool({ execute: never }, {}, { timeoutMs: 15 })).message).toContain("15 ms");
  });

  it("frees the slot of a tool that goes on", async () => {
    let runs = 0;
    const tool = toolOf({
      concurrency: 1,
      timeoutMs: 30,
      execute: () => (runs++ === 0 ? never() : "second"),
    });
    const registry = createRegistry({ tools: [tool], queueMs: 0 });
    expect(errorOf(await invoke(registry, { name: "tool", arguments: {} })).code).toBe("timeout");
    expect(resultOf(await invoke(registry, { name: "tool", arguments: {} }))).toBe("second");
    expect(runningCalls(registry).length).toBe(0);
  });

  it("is said of an inline tool that blocked past it, though it returned", async () => {
    const execute = () => {
      const end = performance.now() + 40;
      while (performance.now() < end);
      return "done";
    };
    expect(errorOf(await callTool({ timeoutMs: 10, execute })).code).toBe("timeout");
    expect(errorOf(await callTool({ timeoutMs: 10, execute: async () => execute() })).code).toBe("timeout");
  });

  it("holds for a thenable that never settles, and for a promise of one", async () => {
    // oxlint-disable-next-line unicorn/no-thenable
    const hanging = { then: () => undefined };
    expect(errorOf(await callTool({ timeoutMs: 10, execute: () => hanging })).code).toBe("timeout");
    expect(errorOf(await callTool({ timeoutMs: 10, execute: () => Promise.resolve<unknown>(hanging) })).code).toBe(
      "timeout",
    );
  });

  it("is met by a thousand calls at once", async () => {
    const registry = createRegistry({ tools: [toolOf({ timeoutMs: 100, execute: never })] });
    const { ms, value } = await timed(() =>
      Promise.all(Array.from({ length: 1000 }, () => invoke(registry, { name: "tool", arguments: {} }))),
    );
    expect(value.every((outcome) => errorOf(outcome).code === "timeout")).toBe(true);
    expect(ms).toBeLessThan(300);
    expect(runningCalls(registry).length).toBe(0);
  });
});

describe("what comes after the answer", () => {
  it("changes nothing and is no unhandled rejection", async () => {
    const rejectsLate = () => sleep(40).then(() => Promise.reject(new Error("late")));
    const outcome = await callTool({ timeoutMs: 10, execute: rejectsLate });
    const text = JSON.stringify(outcome);
    await sleep(60);
    expect(JSON.stringify(outcome)).toBe(text);
    expect(unhandled).toEqual([]);
  });

  it("is a rejection because of the signal, which is the tool's own way to end", async () => {
    const execute = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    expect(errorOf(await callTool({ timeoutMs: 10, execute })).code).toBe("timeout");
  });
});

describe("a time limit that is none", () => {
  it.each([NaN, 0, -1, -Infinity])("is refused before the tool runs: %s", async (timeoutMs) => {
    const error = errorOf(await callTool({}, { timeoutMs }));
    expect(error).toMatchObject({ code: "bad_request", ran: "no" });
  });
});

describe("a tool that comes back too late", () => {
  function block(ms: number): void {
    for (const end = performance.now() + ms; performance.now() < end;);
  }
  it.each([
    ["with a result", () => block(40)],
    [
      "with an error",
      () => {
        block(40);
        throw new Error("too late");
      },
    ],
  ])("has timed out, %s", async (_, execute) => {
    expect(errorOf(await callTool({ timeoutMs: 20, execute })).code).toBe("timeout");
  });
});
