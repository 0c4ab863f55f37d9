import { describe, expect, it } from "vitest";
import { appOf } from "../app-in-memory.ts";

describe("GET /tools?format=", () => {
  it("lets others have their turn while a long list is written, once for all who wait", async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`p${n}`, { type: "string", pattern: `^${n}` }]),
    );
    const many = Array.from({ length: 1500 }, (_, n) => ({
      name: `tool_${n}`,
      parameters: { type: "object", properties: { ...wide, [`q${n}`]: { type: "object", properties: wide } } },
    }));
    const { app } = appOf(many);
    await app.request("/tools?names=none");
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const lists = await Promise.all([1, 2, 3].map(async () => app.request("/tools?format=gemini")));
    clearInterval(timer);
    const texts = await Promise.all(lists.map((list) => list.text()));
    expect(new Set(texts).size).toBe(1);
    console.info(`the event loop stood for ${Math.round(longest)} ms at most`);
    expect(longest).toBeLessThan(500);
  });
});
