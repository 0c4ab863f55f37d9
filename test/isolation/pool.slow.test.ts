import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { sleep } from "../core/one-tool.ts";
import { countThreads, toolInThread } from "./tools-in-threads.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** All but timers: the clock of the time limits comes and goes. */
function countHandles(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== "Timeout").length;
}

it("the threads of a tool leak nothing over 10,000 calls (T6)", async () => {
  const { call, calls } = await toolInThread("shaky", { concurrency: 2 });
  const run = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 2) {
      await Promise.all([call({ way: "echo", value: left }), call({ way: "echo", value: "x" })]);
    }
  };
  const heap = async (): Promise<number> => {
    calls.length = 0;
    await sleep(50);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await run(1000);
  const before = await heap();
  const handles = countHandles();
  await run(10_000);
  expect(countHandles()).toBeLessThanOrEqual(handles);
  expect(countThreads()).toBe(2);
  expect(await heap()).toBeLessThan(before * 1.1);
}, 60_000);
