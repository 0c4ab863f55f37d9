import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { host, type Hosted } from "./scripted.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const soon = { timeout: 30_000, interval: 2 };

async function heapAfterCollection(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await sleep(50);
    collect();
  }
  return process.memoryUsage().heapUsed;
}

async function callMany(hosted: Hosted, count: number): Promise<void> {
  for (let done = 0; done < count; done += 50) {
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => hosted.call("one", { n })));
    if (outcomes.some(({ status }) => status !== "ok")) throw new Error("a call failed");
  }
}

async function restart(hosted: Hosted): Promise<void> {
  await hosted.call("die");
  await vi.waitFor(async () => expect(await hosted.call("one")).toMatchObject({ status: "ok" }), soon);
}

test("10,000 calls and 100 restarts of a server leave less than 5 MB in the heap", async () => {
  const hosted = await host({ tools: ["one", "die"] });
  await callMany(hosted, 2000);
  for (let round = 0; round < 5; round++) await restart(hosted);
  const before = await heapAfterCollection();
  await callMany(hosted, 10_000);
  for (let round = 0; round < 100; round++) await restart(hosted);
  const grown = (await heapAfterCollection()) - before;
  expect(grown).toBeLessThan(5_000_000);
}, 300_000);
