import { expect } from "vitest";
import { resultOf } from "../core/one-tool.ts";
import { toolInThread } from "../isolation/tools-in-threads.ts";
import { fault } from "./fault.ts";

fault(
  "T7",
  "a tool that floods stdout and stderr holds up nobody, and its lines are cut short with a count of the rest",
  async () => {
    const { call, log } = await toolInThread("shaky");
    await call({ way: "where" });
    let worstMs = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      worstMs = Math.max(worstMs, performance.now() - last);
      last = performance.now();
    }, 5);
    expect(resultOf(await call({ way: "flood", lines: 100_000 }, { timeoutMs: 60_000 }))).toBe("flooded");
    clearInterval(beat);
    expect(log.length).toBeLessThan(20_000);
    const leftOut = log.map(({ message }) => /^(\d+) messages of the tool were left out/.exec(message)?.[1] ?? 0);
    const said = log.filter(({ message }) => /^line \d+ of std(out|err)$/.test(message)).length;
    expect(leftOut.reduce<number>((sum, count) => sum + Number(count), said)).toBe(200_000);
    expect(worstMs).toBeLessThan(200);
  },
  60_000,
);
