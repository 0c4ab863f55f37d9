import { expect, test, vi } from "vitest";
import { host, namesOf } from "./scripted.ts";

const soon = { timeout: 60_000, interval: 10 };

test("thousands of tools are one list, and calls go on while it is read", async () => {
  const count = 5000;
  const hosted = await host({ count, pageSize: count / 5 });
  expect(hosted.status()).toMatchObject({ state: "ready", tools: count, skipped: [] });
  expect(await hosted.call(`tool_${count - 1}`)).toMatchObject({ status: "ok" });
});

test("a list of more than 10,000 tools is refused", async () => {
  const hosted = await host({ count: 10_001, pageSize: 5000 });
  expect(hosted.status()).toMatchObject({ state: "failed", reason: "it has more than 10000 tools" });
});

test("both eras: a storm of notices leads to few reads, and the tools are the newest", async () => {
  for (const era of ["legacy", "modern"]) {
    const hosted = await host({ era, tools: ["control", "one"] });
    const read = vi.spyOn(hosted.source, "read");
    await vi.waitFor(async () => {
      await hosted.control({ tools: ["control", "two"] }, { notify: 1000 });
      expect(namesOf(hosted)).toEqual(["s_control", "s_two"]);
    }, soon);
    expect(read.mock.calls.length).toBeLessThan(20);
  }
});

test("a declaration that is nested too deeply is skipped alone", async () => {
  const hosted = await host({ tools: ["good"], deepTool: 20_000 });
  expect(namesOf(hosted)).toEqual(["s_good"]);
  expect(hosted.status()).toMatchObject({
    state: "ready",
    skipped: [{ name: "s_deep", reason: "its declaration is nested too deeply" }],
  });
});

test("a server without tools has none", async () => {
  expect((await host({ noTools: true, tools: ["one"] })).status()).toMatchObject({ state: "ready", tools: 0 });
});
