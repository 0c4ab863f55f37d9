import { describe, expect, it } from "vitest";
import { createRegistry, invoke, type ToolLogEntry, type ToolOverride } from "../../src/index.ts";
import { errorOf, resultOf, sleep, toolOf } from "../core/one-tool.ts";

function registryWith(override: ToolOverride, logged: ToolLogEntry[] = []) {
  return createRegistry({
    overrides: { tool: override },
    observer: { onToolLog: (entry) => logged.push(entry) },
    tools: [
      toolOf({
        timeoutMs: 5000,
        parameters: { type: "object", properties: { n: { type: "integer" }, ms: { type: "integer" } } },
        response: { type: "object", required: ["right"] },
        execute: async ({ ms, ...rest }) => {
          await sleep(Number(ms ?? 0));
          return rest;
        },
      }),
    ],
  });
}

describe("what the operator sets for a tool", () => {
  it("is its time limit, in its declaration too", async () => {
    const registry = registryWith({ timeoutMs: 20 });
    expect(registry.find("tool")?.declaration.timeoutMs).toBe(20);
    expect(errorOf(await invoke(registry, { name: "tool", arguments: { ms: 300 } })).code).toBe("timeout");
  });

  it("is its concurrency", async () => {
    const registry = registryWith({ concurrency: 1, response: "off" });
    registry.configure({ queueMs: 0, overrides: { tool: { concurrency: 1 } } });
    const first = invoke(registry, { name: "tool", arguments: { ms: 30 } });
    expect(errorOf(await invoke(registry, { name: "tool", arguments: {} })).code).toBe("busy");
    await first;
  });

  it("is that it is switched off: known, but not listed", async () => {
    const registry = registryWith({ enabled: false });
    expect(registry.list()).toEqual([]);
    expect(registry.unavailable().map(({ unavailable }) => unavailable)).toEqual(["the operator has switched it off"]);
    expect(errorOf(await invoke(registry, { name: "tool", arguments: {} }))).toMatchObject({ code: "unavailable" });
  });

  it("is that its arguments are repaired, unless the call says no", async () => {
    const registry = registryWith({ repair: true, response: "off" });
    const call = { name: "tool", arguments: { n: "5" } };
    expect(await invoke(registry, call)).toMatchObject({ result: { n: 5 }, repairs: [{ path: "/n" }] });
    expect(errorOf(await invoke(registry, { ...call, repair: false })).code).toBe("invalid_arguments");
  });

  it("is whether a result that breaks its schema is refused, logged, or nobody's business", async () => {
    const call = { name: "tool", arguments: { n: 1 } };
    expect(errorOf(await invoke(registryWith({}), call)).code).toBe("invalid_result");
    expect(errorOf(await invoke(registryWith({ response: "enforce" }), call)).code).toBe("invalid_result");
    const logged: ToolLogEntry[] = [];
    expect(resultOf(await invoke(registryWith({ response: "warn" }, logged), call))).toEqual({ n: 1 });
    expect(logged).toMatchObject([{ tool: "tool", level: "warn", message: expect.stringContaining("right") }]);
    expect(resultOf(await invoke(registryWith({ response: "off" }, logged), call))).toEqual({ n: 1 });
    expect(logged.length).toBe(1);
  });

  it("must be possible", () => {
    expect(() => registryWith({ timeoutMs: 0 })).toThrow("timeoutMs");
    expect(() => registryWith({ concurrency: 0 })).toThrow("concurrency");
  });

  it("counts for what is registered from then on, and running calls go on counting", async () => {
    const execute = (): Promise<void> => sleep(50);
    const registry = createRegistry({ queueMs: 0, tools: [toolOf({ concurrency: 1, execute })] });
    const first = invoke(registry, { name: "tool", arguments: {} });
    registry.configure({ queueMs: 0, overrides: { tool: { timeoutMs: 70 } } });
    registry.replace("local", [toolOf({ concurrency: 1, execute })]);
    expect(registry.find("tool")?.timeoutMs).toBe(70);
    expect(errorOf(await invoke(registry, { name: "tool", arguments: {} })).code).toBe("busy");
    await first;
  });

  it.each<[string, (number | undefined)[]]>([
    ["raised", [2, 3]],
    ["lowered", [3, 2]],
    ["lifted and set again", [2, undefined, 2]],
  ])("never has more calls at once than the larger concurrency where that is %s", async (_, settings) => {
    let now = 0;
    let most = 0;
    const execute = async (): Promise<void> => {
      most = Math.max(most, ++now);
      await sleep(40);
      now--;
    };
    const registry = createRegistry();
    const calls: Promise<unknown>[] = [];
    for (const concurrency of settings) {
      registry.configure(concurrency === undefined ? {} : { overrides: { tool: { concurrency } } });
      registry.replace("a", [toolOf({ execute })]);
      if (concurrency === undefined) continue;
      for (let count = 0; count < 4; count++)
        calls.push(invoke(registry, { name: "tool", arguments: {}, patient: true }));
    }
    await Promise.all(calls);
    expect(now).toBe(0);
    // Without a limit, all that waited came in.
    expect(most).toBe(settings.includes(undefined) ? 4 : 3);
  });
});
