import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runningCalls } from "../../../src/core/call/running-call.ts";
import { createRegistry, invoke, type Outcome } from "../../../src/index.ts";
import { block, holdClock, pass, peek, releaseClock } from "../../async/manual-clock.ts";
import { callTool, errorOf, resultOf, sleep, toolOf } from "../one-tool.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(async () => {
  await sleep(20); // Rejections are reported a turn later.
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

const never = () => new Promise(() => undefined);

/** The width of a slot of the timing wheel: a limit passes at most so late. */
const tickMs = 10;

/** What a call comes to once its limit has passed, and not before. */
async function afterLimit(pending: Promise<Outcome>, limitMs: number): Promise<Outcome> {
  const seen = peek(pending);
  await pass(limitMs - 1);
  expect(seen.value).toBeUndefined();
  await pass(1 + tickMs);
  expect(seen.value).toBeDefined();
  return pending;
}

beforeEach(holdClock);
afterEach(async () => {
  await pass(2 * tickMs);
  releaseClock();
});

describe("the time limit", () => {
  it("answers on time where the tool ignores its signal", async () => {
    const value = await afterLimit(callTool({ timeoutMs: 120, execute: never }), 120);
    expect(errorOf(value)).toMatchObject({
      code: "timeout",
      action: "check_before_retry",
      retryable: false,
      ran: "unknown",
    });
  });

  it.each([{ readOnly: true }, { idempotent: true }])(
    "may be met again by the same call where %j",
    async (annotations) => {
      const outcome = await afterLimit(callTool({ timeoutMs: 5, annotations, execute: never }), 5);
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
    await afterLimit(callTool({ timeoutMs: 20, execute }), 20);
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("gives an aborted signal to a tool that asks for it only afterwards", async () => {
    let late: Promise<AbortSignal> | undefined;
    const pending = callTool({
      timeoutMs: 10,
      execute: (_, context) => (late = sleep(40).then(() => context.signal)),
    });
    await afterLimit(pending, 10);
    await pass(40);
    expect((await late)?.aborted).toBe(true);
  });

  it("is shortened by the call and never lengthened", async () => {
    const short = await afterLimit(callTool({ timeoutMs: 5000, execute: never }, { timeoutMs: 30 }), 30);
    expect(errorOf(short)).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("30 ms"),
    });
    const long = await afterLimit(callTool({ timeoutMs: 30, execute: never }, { timeoutMs: 5000 }), 30);
    expect(errorOf(long).message).toContain("30 ms");
  });

  it("is the registry's for a tool that names none", async () => {
    const outcome = await afterLimit(callTool({ execute: never }, {}, { timeoutMs: 15 }), 15);
    expect(errorOf(outcome).message).toContain("15 ms");
  });

  it("frees the slot of a tool that goes on", async () => {
    let runs = 0;
    const tool = toolOf({
      concurrency: 1,
      timeoutMs: 30,
      execute: () => (runs++ === 0 ? never() : "second"),
    });
    const registry = createRegistry({ tools: [tool], queueMs: 0 });
    const first = await afterLimit(invoke(registry, { name: "tool", arguments: {} }), 30);
    expect(errorOf(first).code).toBe("timeout");
    expect(resultOf(await invoke(registry, { name: "tool", arguments: {} }))).toBe("second");
    expect(runningCalls(registry).length).toBe(0);
  });

  it("is said of an inline tool that blocked past it, though it returned", async () => {
    const execute = () => {
      block(40);
      return "done";
    };
    expect(errorOf(await callTool({ timeoutMs: 10, execute })).code).toBe("timeout");
  });

  it("applies to an asynchronous tool that blocked past it, though it returned", async () => {
    const execute = async () => {
      block(40);
      return "done";
    };
    expect(errorOf(await callTool({ timeoutMs: 10, execute })).code).toBe("timeout");
  });

  it("holds for a thenable that never settles, and for a promise of one", async () => {
    const hanging = { then: () => undefined };
    for (const execute of [() => hanging, () => Promise.resolve<unknown>(hanging)]) {
      expect(errorOf(await afterLimit(callTool({ timeoutMs: 10, execute }), 10)).code).toBe("timeout");
    }
  });

  it("is met by a thousand calls at once", async () => {
    const registry = createRegistry({ tools: [toolOf({ timeoutMs: 100, execute: never })] });
    const calls = Array.from({ length: 1000 }, () => invoke(registry, { name: "tool", arguments: {} }));
    await pass(100 + tickMs);
    const outcomes = await Promise.all(calls);
    expect(outcomes.every((outcome) => errorOf(outcome).code === "timeout")).toBe(true);
    expect(runningCalls(registry).length).toBe(0);
  });
});

describe("what comes after the answer", () => {
  it("changes nothing and is no unhandled rejection", async () => {
    const rejectsLate = () => sleep(40).then(() => Promise.reject(new Error("late")));
    const outcome = await afterLimit(callTool({ timeoutMs: 10, execute: rejectsLate }), 10);
    const text = JSON.stringify(outcome);
    await pass(60);
    expect(JSON.stringify(outcome)).toBe(text);
    expect(unhandled).toEqual([]);
  });

  it("is a rejection because of the signal, which is the tool's own way to end", async () => {
    const execute = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    expect(errorOf(await afterLimit(callTool({ timeoutMs: 10, execute }), 10)).code).toBe("timeout");
  });
});

describe("a time limit that is none", () => {
  it.each([NaN, 0, -1, -Infinity])("is refused before the tool runs: %s", async (timeoutMs) => {
    const error = errorOf(await callTool({}, { timeoutMs }));
    expect(error).toMatchObject({ code: "bad_request", ran: "no" });
  });
});

describe("a tool that comes back too late", () => {
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
