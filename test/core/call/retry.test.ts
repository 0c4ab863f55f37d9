import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { CallRecord, ToolLogEntry, ToolWarning } from "../../../src/core/observer.ts";
import {
  createRegistry,
  defineTool,
  invoke,
  type Tool,
  type ToolContext,
  ToolError,
  UpstreamError,
} from "../../../src/index.ts";
import { stopCalls } from "../../../src/core/call/running-call.ts";
import { CallError } from "../../../src/errors/errors.ts";
import { holdClock, pass, peek, releaseClock } from "../../async/manual-clock.ts";
import { callTool, errorOf, resultOf, toolOf } from "../one-tool.ts";

beforeEach(holdClock);
afterEach(async () => {
  await pass(20);
  releaseClock();
});

const readOnly = { annotations: { readOnly: true } };

/** Fails with each of these in turn, then succeeds. */
function failing(...thrown: readonly unknown[]) {
  const seen: unknown[] = [];
  const execute = async (args: unknown): Promise<unknown> => {
    seen.push(structuredClone(args));
    const index = seen.length - 1;
    await Promise.resolve();
    if (index < thrown.length) throw thrown[index];
    return { attempt: index + 1 };
  };
  return { execute, seen };
}

const passing = () => new ToolError("Not now.", { retryable: true });

describe("a tool with retries", () => {
  it.each([
    ["a ToolError that is retryable", passing()],
    ["an API that answers 503", new UpstreamError("down", { status: 503 })],
    ["an API that answers 429", new UpstreamError("slow down", { status: 429 })],
    ["an API that does not answer", new UpstreamError("no answer")],
  ])("runs again after %s", async (_, thrown) => {
    const { execute, seen } = failing(thrown, thrown);
    const pending = callTool({ ...readOnly, retries: 2, execute });
    await pass(1000);
    expect(resultOf(await pending)).toEqual({ attempt: 3 });
    expect(seen).toHaveLength(3);
  });

  it("runs again after a failure that is thrown before it gives a promise", async () => {
    let runs = 0;
    const execute = () => {
      if (++runs === 1) throw passing();
      return runs;
    };
    const pending = callTool({ annotations: { idempotent: true }, retries: 1, execute });
    await pass(200);
    expect(resultOf(await pending)).toBe(2);
  });

  it.each([
    ["a ToolError that is not retryable", new ToolError("No.")],
    ["anything else that is thrown", new Error("a fault")],
    ["an API that answers 404", new UpstreamError("not there", { status: 404 })],
    ["a refusal of the egress rules", new CallError("egress_blocked", "Not allowed.")],
    ["a breaker that is open", new CallError("unavailable", "Left alone.")],
  ])("does not run again after %s", async (_, thrown) => {
    const { execute, seen } = failing(thrown);
    const pending = callTool({ ...readOnly, retries: 5, execute });
    await pass(1);
    errorOf(await pending);
    expect(seen).toHaveLength(1);
  });

  it("does not run again after a result that breaks its schema", async () => {
    let runs = 0;
    const pending = callTool({ ...readOnly, retries: 5, response: { type: "string" }, execute: () => ++runs });
    await pass(1);
    expect(errorOf(await pending).code).toBe("invalid_result");
    expect(runs).toBe(1);
  });

  it("ends with the last failure when all attempts failed", async () => {
    const { execute, seen } = failing(passing(), passing(), new UpstreamError("down", { status: 500 }), passing());
    const pending = callTool({ ...readOnly, retries: 2, execute });
    await pass(1000);
    expect(errorOf(await pending)).toMatchObject({
      code: "upstream_failed",
      retryable: true,
      upstream: { status: 500 },
    });
    expect(seen).toHaveLength(3);
  });

  it("pauses between half of 200 ms and all of it, and twice as long each time", async () => {
    const { execute, seen } = failing(passing(), passing(), passing());
    const pending = callTool({ ...readOnly, retries: 3, execute });
    await pass(99);
    expect(seen).toHaveLength(1);
    await pass(102);
    expect(seen).toHaveLength(2);
    await pass(98); // At least 200 ms after the second attempt, which is at least 100 ms old.
    expect(seen).toHaveLength(2);
    await pass(1201);
    expect(resultOf(await pending)).toEqual({ attempt: 4 });
  });

  it("pauses as long as the API asks", async () => {
    const { execute, seen } = failing(new UpstreamError("later", { status: 429, retryAfterMs: 3000 }));
    const pending = callTool({ ...readOnly, retries: 1, execute });
    await pass(2999);
    expect(seen).toHaveLength(1);
    await pass(1);
    expect(resultOf(await pending)).toEqual({ attempt: 2 });
  });

  it.each([
    ["the API asks for", new UpstreamError("later", { status: 503, retryAfterMs: 3000 }), 3000],
    ["comes next", passing(), 100],
  ])("ends at once where its time limit is before the end of the pause that %s", async (_, thrown, timeoutMs) => {
    const { execute, seen } = failing(thrown);
    const pending = peek(callTool({ ...readOnly, retries: 5, timeoutMs, execute }));
    await pass(1);
    expect(errorOf(pending.value!)).toMatchObject({
      code: thrown instanceof ToolError ? "tool_failed" : "upstream_failed",
    });
    expect(seen).toHaveLength(1);
  });

  it("has one time limit for all attempts, also one that the call shortens", async () => {
    let runs = 0;
    const execute = () => (++runs === 1 ? Promise.reject(passing()) : new Promise(() => undefined));
    const pending = peek(callTool({ ...readOnly, retries: 5, execute }, { timeoutMs: 1000 }));
    await pass(999);
    expect(runs).toBe(2);
    expect(pending.value).toBeUndefined();
    await pass(11);
    expect(errorOf(pending.value!).code).toBe("timeout");
  });

  it("ends at once when its caller leaves during a pause", async () => {
    const { execute, seen } = failing(new UpstreamError("later", { status: 503, retryAfterMs: 5000 }));
    const cancellation: { cancelled: boolean; target: { cancel(): void } | undefined } = {
      cancelled: false,
      target: undefined,
    };
    const pending = peek(callTool({ ...readOnly, retries: 1, execute }, { cancellation }));
    await pass(100);
    expect(pending.value).toBeUndefined();
    cancellation.target?.cancel();
    await pass(0);
    expect(errorOf(pending.value!)).toMatchObject({ code: "cancelled", ran: "unknown" });
    await pass(6000);
    expect(seen).toHaveLength(1);
  });

  it("ends at once when the service shuts down during a pause", async () => {
    const { execute, seen } = failing(new UpstreamError("later", { status: 503, retryAfterMs: 5000 }));
    const registry = createRegistry({ tools: [toolOf({ ...readOnly, retries: 1, execute })] });
    const pending = peek(invoke(registry, { name: "tool", arguments: {} }));
    await pass(100);
    stopCalls(registry, new CallError("cancelled", "The service shuts down."));
    await pass(0);
    expect(errorOf(pending.value!).code).toBe("cancelled");
    await pass(6000);
    expect(seen).toHaveLength(1);
  });

  it("keeps its slot, and is one call to the observer", async () => {
    const calls: CallRecord[] = [];
    const log: ToolLogEntry[] = [];
    const { execute, seen } = failing(passing());
    const registry = createRegistry({
      queueMs: 0,
      tools: [toolOf({ ...readOnly, retries: 1, concurrency: 1, execute })],
      observer: { onCall: (record) => void calls.push(record), onToolLog: (entry) => void log.push(entry) },
    });
    const first = invoke(registry, { name: "tool", arguments: {} });
    await pass(50);
    expect(errorOf(await invoke(registry, { name: "tool", arguments: {} })).code).toBe("busy");
    await pass(200);
    const { callId } = await first;
    expect(seen).toHaveLength(2);
    expect(calls.map(({ code }) => code)).toEqual(["busy", "ok"]);
    expect(log).toMatchObject([
      { callId, level: "info", message: "attempt 1 failed (tool_failed); the tool runs again" },
    ]);
    expect(resultOf(await invoke(registry, { name: "tool", arguments: {} }))).toEqual({ attempt: 3 });
  });

  it("gets the arguments of each attempt as they were sent", async () => {
    const seen: unknown[] = [];
    const execute: Tool["execute"] = (args) => {
      seen.push(structuredClone(args));
      (args["list"] as unknown[]).push("more");
      args["key"] = "changed";
      if (seen.length < 3) throw passing();
      return null;
    };
    const pending = callTool({ ...readOnly, retries: 2, execute }, { arguments: { list: [] } });
    await pass(1000);
    expect(resultOf(await pending)).toBeNull();
    expect(seen).toEqual([{ list: [] }, { list: [] }, { list: [] }]);
  });

  it("has its schema library's check run once an attempt, and not again after a refusal", async () => {
    let checks = 0;
    const count = z.number().refine((value) => ++checks > 0 && value > 0);
    const parameters = z.object({ count, more: z.array(z.string()).default([]) });
    let runs = 0;
    const registry = createRegistry({
      tools: [
        defineTool({
          name: "tool",
          description: "Counts.",
          ...readOnly,
          retries: 2,
          parameters,
          execute: ({ more }) => {
            more.push("x");
            if (++runs < 3) throw passing();
            return more;
          },
        }),
      ],
    });
    const pending = invoke(registry, { name: "tool", arguments: { count: 1 } });
    await pass(1000);
    expect(resultOf(await pending)).toEqual(["x"]);
    expect(checks).toBe(3);
    const refused = invoke(registry, { name: "tool", arguments: { count: -1 } });
    await pass(1);
    expect(errorOf(await refused).code).toBe("invalid_arguments");
    expect(checks).toBe(4);
  });

  it("hears a thenable of an earlier attempt only once", async () => {
    const later: ((value: unknown) => void)[] = [];
    let runs = 0;
    const execute = () =>
      ++runs > 1
        ? new Promise((resolve) => setTimeout(resolve, 500, "second"))
        : {
            then(resolve: (value: unknown) => void, reject: (thrown: unknown) => void) {
              later.push(resolve);
              reject(passing());
            },
          };
    const pending = callTool({ ...readOnly, retries: 1, execute });
    await pass(300);
    expect(runs).toBe(2);
    later[0]!("first");
    await pass(500);
    expect(resultOf(await pending)).toBe("second");
  });

  it("has a signal that all attempts share, and that a pause does not abort", async () => {
    const signals: AbortSignal[] = [];
    const execute = (_: unknown, { signal }: ToolContext) => {
      signals.push(signal);
      if (signals.length === 1) throw passing();
      return signal.aborted;
    };
    const pending = callTool({ ...readOnly, retries: 1, execute });
    await pass(300);
    expect(resultOf(await pending)).toBe(false);
    expect(signals[0]).toBe(signals[1]);
  });
});

describe("retries", () => {
  it.each([-1, 6, 1.5, "2", NaN])("of %j are refused", (retries) => {
    const tools = [toolOf({ ...readOnly, retries: retries as number })];
    expect(() => createRegistry({ tools })).toThrow('"retries" must be a whole number from 0 to 5');
  });

  it.each([{}, { annotations: { destructive: true } }, { annotations: { readOnly: false } }])(
    "have no effect on a tool with %j, which is warned of",
    async (fields) => {
      const { execute, seen } = failing(passing());
      const warnings: ToolWarning[] = [];
      const registry = createRegistry({
        tools: [toolOf({ ...fields, retries: 2, execute })],
        observer: { onToolWarning: (warning) => void warnings.push(warning) },
      });
      const pending = invoke(registry, { name: "tool", arguments: {} });
      await pass(1000);
      expect(errorOf(await pending)).toMatchObject({ code: "tool_failed", retryable: true });
      expect(seen).toHaveLength(1);
      expect(warnings).toMatchObject([
        {
          path: "/retries",
          message: '"retries" has no effect unless annotations.idempotent or annotations.readOnly is true',
        },
      ]);
    },
  );

  it("of an override count instead of the tool's own", async () => {
    for (const [own, override, runs] of [
      [undefined, 1, 2],
      [3, 0, 1],
    ] as const) {
      const { execute, seen } = failing(passing());
      const tool = toolOf({ ...readOnly, execute, ...(own !== undefined && { retries: own }) });
      const registry = createRegistry({ tools: [tool], overrides: { tool: { retries: override } } });
      const pending = invoke(registry, { name: "tool", arguments: {} });
      await pass(1000);
      await pending;
      expect(seen).toHaveLength(runs);
    }
  });
});
