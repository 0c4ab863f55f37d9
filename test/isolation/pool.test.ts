import { describe, expect, it, onTestFinished, vi } from "vitest";
import { resultOf } from "../core/one-tool.ts";
import { countThreads, eventually, toolInThread } from "./tools-in-threads.ts";

/** All but timers: the clock of the time limits comes and goes. */
function countHandles(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== "Timeout").length;
}

describe("the threads of a tool", () => {
  it("are one, ready before the first call", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await toolInThread("shaky");
    vi.advanceTimersByTime(999);
    // Node reports a thread that was started in the next turn.
    await new Promise(setImmediate);
    expect(countThreads()).toBe(0);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    await eventually(() => countThreads() === 1);
  });

  it("grow with the calls and end when they have nothing to do, but for one", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { call } = await toolInThread("shaky", { concurrency: 4 }, { idleMs: 1000 });
    const together = (way: object) => Promise.all(Array.from({ length: 4 }, () => call(way)));
    await together({ way: "sleep", ms: 100 });
    const places = async () => new Set((await together({ way: "where" })).map((outcome) => resultOf(outcome)));
    const four = await places();
    vi.advanceTimersByTime(999);
    expect(await places()).toEqual(four);
    expect(countThreads()).toBe(4);
    vi.advanceTimersByTime(10_000);
    vi.useRealTimers();
    await eventually(() => countThreads() === 1);
    expect([...four]).toContainEqual(resultOf(await call({ way: "where" })));
    expect(countThreads()).toBe(1);
  });

  it("end with the tool, when the calls that run are over", async () => {
    const { call, registry } = await toolInThread("shaky");
    await call({ way: "where" });
    const pending = call({ way: "sleep", ms: 200 });
    await vi.waitFor(() => expect(registry.load.calls).toBe(1), { timeout: 20_000 });
    registry.remove("shaky");
    expect(resultOf(await pending)).toBe("slept");
    await eventually(() => countThreads() === 0);
  });

  it("end when a source puts other tools in their place", async () => {
    const { call, registry } = await toolInThread("shaky");
    await call({ way: "where" });
    const { tool } = registry.find("shaky")!;
    registry.remove("shaky");
    await eventually(() => countThreads() === 0);
    const again = { ...tool, name: tool.name, description: tool.description, parameters: tool.parameters };
    expect(registry.replace("source", [Object.assign(Object.create(tool) as typeof tool, again)])).toEqual([]);
    await call({ way: "where" });
    expect(countThreads()).toBe(1);
    registry.replace("source", []);
    await eventually(() => countThreads() === 0);
  });

  it("are no more, and leave no handle, after 200 pairs of calls", async () => {
    const { call } = await toolInThread("shaky", { concurrency: 2 });
    const pair = () => Promise.all([call({ way: "echo", value: 1 }), call({ way: "echo", value: "x" })]);
    await pair();
    const handles = countHandles();
    for (let count = 0; count < 200; count++) expect((await pair()).map(resultOf)).toEqual([1, "x"]);
    expect(countHandles()).toBeLessThanOrEqual(handles);
    expect(countThreads()).toBe(2);
  });
});
