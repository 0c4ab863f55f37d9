import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cancel, type Cancellation } from "../../../src/core/call/call.ts";
import { runningCalls } from "../../../src/core/call/running-call.ts";
import { CallError } from "../../../src/errors/errors.ts";
import { createRegistry, invoke } from "../../../src/index.ts";
import { callTool, errorOf, resultOf, sleep, toolOf } from "../one-tool.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(async () => {
  await sleep(50);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

describe("a call that is cancelled", () => {
  it("before it starts does not run", async () => {
    const outcome = await callTool({ execute: () => expect.unreachable() }, { cancellation: { cancelled: true } });
    expect(errorOf(outcome)).toMatchObject({ code: "cancelled", retryable: false, ran: "no" });
  });

  it("while it runs is answered at once, and the signal is aborted", async () => {
    const cancellation: Cancellation = { cancelled: false };
    let signal: AbortSignal | undefined;
    const pending = callTool(
      { execute: (_, context) => ((signal = context.signal), new Promise(() => undefined)) },
      { cancellation },
    );
    cancel(cancellation);
    expect(errorOf(await pending)).toMatchObject({
      code: "cancelled",
      action: "check_before_retry",
      retryable: false,
      ran: "unknown",
    });
    expect(signal?.reason).toMatchObject({ name: "AbortError" });
  });

  it("after it ended is an ok outcome still", async () => {
    const cancellation: Cancellation = { cancelled: false };
    const outcome = await callTool({ execute: async () => 1 }, { cancellation });
    cancel(cancellation);
    expect(resultOf(outcome)).toBe(1);
  });

  it("by its own tool, which then rejects, ends nothing but the call", async () => {
    const cancellation: Cancellation = { cancelled: false };
    const execute = (_: unknown, { signal }: { signal: AbortSignal }) => {
      cancel(cancellation);
      return sleep(1).then(() => Promise.reject(signal.reason));
    };
    expect(errorOf(await callTool({ execute }, { cancellation })).code).toBe("cancelled");
    await sleep(20);
    expect(unhandled).toEqual([]);
  });

  it("frees its slot", async () => {
    let runs = 0;
    const tool = toolOf({
      concurrency: 1,
      execute: () => (runs++ === 0 ? new Promise(() => undefined) : "next"),
    });
    const registry = createRegistry({ tools: [tool], queueMs: 0 });
    const cancellation: Cancellation = { cancelled: false };
    const first = invoke(registry, { name: "tool", arguments: {}, cancellation });
    cancel(cancellation);
    expect(errorOf(await first).code).toBe("cancelled");
    expect(resultOf(await invoke(registry, { name: "tool", arguments: {} }))).toBe("next");
  });

  it("by the shutdown gets the shutdown's error", async () => {
    const registry = createRegistry({
      tools: [toolOf({ execute: () => new Promise(() => undefined) })],
    });
    const pending = invoke(registry, { name: "tool", arguments: {} });
    for (const call of runningCalls(registry)) call.stop(new CallError("cancelled", "The service ends."));
    expect(errorOf(await pending)).toMatchObject({
      code: "cancelled",
      message: "The service ends.",
      ran: "unknown",
    });
    expect(runningCalls(registry).length).toBe(0);
  });
});
