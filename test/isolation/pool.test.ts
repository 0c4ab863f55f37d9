import { describe, expect, it } from "vitest";
import { resultOf, sleep } from "../core/one-tool.ts";
import { countThreads, eventually, toolInThread } from "./tools-in-threads.ts";

/** All but timers: the clock of the time limits comes and goes. */
function countHandles(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== "Timeout").length;
}

describe("the threads of a tool", () => {
  it("are one, ready before the first call", async () => {
    await toolInThread("shaky");
    expect(countThreads()).toBe(0);
    await eventually(() => countThreads() === 1);
  });

  it("grow with the calls and end when they have nothing to do, but for one", async () => {
    const { call } = await toolInThread("shaky", { concurrency: 4 }, { idleMs: 1000 });
    await Promise.all(Array.from({ length: 4 }, () => call({ way: "sleep", ms: 100 })));
    expect(countThreads()).toBe(4);
    await eventually(() => countThreads() === 1);
    await sleep(1200);
    expect(countThreads()).toBe(1);
    expect(resultOf(await call({ way: "echo", value: 1 }))).toBe(1);
  });

  it("end with the tool, when the calls that run are over", async () => {
    const { call, registry } = await toolInThread("shaky");
    await call({ way: "where" });
    const pending = call({ way: "sleep", ms: 200 });
    await sleep(20);
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
