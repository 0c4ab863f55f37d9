import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cancel, type Cancellation } from "../../../src/core/call/call.ts";
import { runningCalls } from "../../../src/core/call/running-call.ts";
import { type Call, createRegistry, invoke, type Outcome, type Tool } from "../../../src/index.ts";
import { holdClock, pass, peek, releaseClock } from "../../async/manual-clock.ts";
import { errorOf, resultOf, sleep, toolOf } from "../one-tool.ts";

/** A tool with one slot whose calls end when the test says so. */
function createBusyTool(fields: Partial<Tool> = {}, queueMs?: number) {
  const finish: Array<() => void> = [];
  const started: unknown[] = [];
  const tool = toolOf({
    concurrency: 1,
    execute: ({ id }) => {
      started.push(id);
      return new Promise((resolve) => finish.push(() => resolve(id)));
    },
    ...fields,
  });
  const registry = createRegistry({ tools: [tool], ...(queueMs !== undefined && { queueMs }) });
  const call = (id: number, more: Partial<Call> = {}): Promise<Outcome> =>
    invoke(registry, { name: "tool", arguments: { id }, ...more });
  return { call, finish, started, registry };
}

/** The width of a slot of the timing wheel: a limit passes at most so late. */
const tickMs = 10;

beforeEach(holdClock);
afterEach(async () => {
  await pass(20_000); // Every limit that a test left passes, and the wheel stops.
  releaseClock();
});

describe("a call of a tool without a free slot", () => {
  it("is busy at once where no call may wait", async () => {
    const { call, started } = createBusyTool({}, 0);
    void call(1);
    expect(errorOf(await call(2))).toMatchObject({
      code: "busy",
      action: "retry_later",
      retryable: true,
      ran: "no",
    });
    expect(started).toEqual([1]);
  });

  it("waits queueMs and no longer", async () => {
    const { call, registry } = createBusyTool({}, 60);
    void call(1);
    const second = call(2);
    const seen = peek(second);
    await pass(59);
    expect(seen.value).toBeUndefined();
    await pass(1 + tickMs);
    expect(seen.value).toBeDefined();
    expect(errorOf(await second).code).toBe("busy");
    expect(runningCalls(registry).length).toBe(1);
  });

  it("waits within its time limit where that is shorter", async () => {
    for (const patient of [false, true]) {
      const { call } = createBusyTool({ timeoutMs: 5000 }, 5000);
      void call(1);
      const seen = peek(call(2, { timeoutMs: 20, patient }));
      await pass(19);
      expect(seen.value).toBeUndefined();
      await pass(1 + tickMs);
      expect(errorOf(seen.value!).code).toBe("busy");
    }
  });

  it("waits past queueMs where it is patient", async () => {
    const { call, finish } = createBusyTool({ timeoutMs: 2000 }, 10);
    void call(1);
    const second = call(2, { patient: true });
    await pass(60);
    finish[0]?.();
    await pass(5);
    finish[1]?.();
    expect(resultOf(await second)).toBe(2);
  });

  it("runs within what the wait left of its time limit", async () => {
    const { call, finish } = createBusyTool({ timeoutMs: 120 });
    void call(1);
    const second = call(2);
    const seen = peek(second);
    await pass(60);
    finish[0]?.();
    await pass(59);
    expect(seen.value).toBeUndefined();
    await pass(1 + tickMs);
    expect(errorOf(seen.value!).code).toBe("timeout");
  });

  it("runs in the order of coming", async () => {
    const { call, finish, started } = createBusyTool({ timeoutMs: 5000 });
    const calls = [1, 2, 3, 4, 5].map((id) => call(id));
    for (let next = 0; next < 5; next++) {
      await pass(2);
      finish[next]?.();
    }
    expect((await Promise.all(calls)).map(resultOf)).toEqual([1, 2, 3, 4, 5]);
    expect(started).toEqual([1, 2, 3, 4, 5]);
  });

  it("leaves the line where it is cancelled, and its place goes to the next", async () => {
    const { call, finish, started } = createBusyTool();
    const cancellation: Cancellation = { cancelled: false };
    void call(1);
    const second = call(2, { cancellation });
    const third = call(3);
    cancel(cancellation);
    expect(errorOf(await second)).toMatchObject({ code: "cancelled", ran: "no" });
    finish[0]?.();
    await pass(2);
    finish[1]?.();
    expect(resultOf(await third)).toBe(3);
    expect(started).toEqual([1, 3]);
  });
});

it("never runs more calls at once than the tool's concurrency (T9)", async () => {
  let now = 0;
  let most = 0;
  const execute = async () => {
    most = Math.max(most, ++now);
    await sleep(2);
    now--;
    return null;
  };
  const registry = createRegistry({ tools: [toolOf({ concurrency: 10, execute })], queueMs: 5000 });
  const calls = Array.from({ length: 500 }, () => invoke(registry, { name: "tool", arguments: {} }));
  await pass(200);
  const outcomes = await Promise.all(calls);
  expect(outcomes.every(({ status }) => status === "ok")).toBe(true);
  expect(most).toBe(10);
  expect(now).toBe(0);
});

it("frees the slot of a call whatever becomes of it", async () => {
  const ends = [() => null, () => undefined, async () => Promise.reject(new Error("x")), () => JSON.parse("{")];
  let run = 0;
  const registry = createRegistry({
    tools: [toolOf({ concurrency: 1, execute: () => ends[run++ % 4]?.() })],
    queueMs: 0,
  });
  for (let i = 0; i < 8; i++) {
    const outcome = await invoke(registry, { name: "tool", arguments: {} });
    expect(outcome.status === "error" && outcome.error.code === "busy").toBe(false);
  }
});
