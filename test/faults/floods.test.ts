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
    expect(resultOf(await call({ way: "flood", lines: 50_000 }, { timeoutMs: 60_000 }))).toBe("flooded");
    clearInterval(beat);
    expect(log.length).toBeLessThan(20_000);
    expect(log.some(({ message }) => /^\d+ messages of the tool were left out/.test(message))).toBe(true);
    expect(worstMs).toBeLessThan(500);
  },
  60_000,
);
