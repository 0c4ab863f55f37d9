import { describe, expect, test } from "vitest";
import type { SourceContext } from "../../src/core/source-context.ts";
import { limitUpstream } from "../../src/sources/upstream-limits.ts";

function contextOf(queueMs: number, signal = new AbortController().signal): SourceContext {
  return { queueMs, signal } as SourceContext;
}

function held() {
  let release!: (value: string) => void;
  const promise = new Promise<string>((resolve) => (release = resolve));
  return { run: () => promise, release };
}

test("a source without limits has no gate", () => {
  expect(limitUpstream({})).toBeUndefined();
});

describe("concurrency", () => {
  test("makes the next call wait until a slot is free", async () => {
    const runWithin = limitUpstream({ concurrency: 1 })!;
    const [first, second] = [held(), held()];
    const one = runWithin(contextOf(60_000), first.run);
    const two = runWithin(contextOf(60_000), second.run);
    second.release("two");
    first.release("one");
    expect(await Promise.all([one, two])).toEqual(["one", "two"]);
  });

  test("answers busy if none comes free in time, and a slot is free after a failure", async () => {
    const runWithin = limitUpstream({ concurrency: 1 })!;
    const first = held();
    const one = runWithin(contextOf(60_000), first.run);
    await expect(runWithin(contextOf(0), held().run)).rejects.toMatchObject({
      code: "busy",
      extras: { retryAfterMs: 1000 },
    });
    first.release("one");
    await one;
    await expect(runWithin(contextOf(0), () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(await runWithin(contextOf(0), () => Promise.resolve("three"))).toBe("three");
  });

  test("a call that is stopped leaves the line", async () => {
    const runWithin = limitUpstream({ concurrency: 1 })!;
    const first = held();
    const one = runWithin(contextOf(60_000), first.run);
    const stop = new AbortController();
    const two = runWithin(contextOf(60_000, stop.signal), () => Promise.reject(new Error("ran")));
    stop.abort(new Error("stopped"));
    await expect(two).rejects.toThrow("stopped");
    first.release("one");
    await one;
    expect(await runWithin(contextOf(0), () => Promise.resolve("three"))).toBe("three");
  });
});

test("callsPerMinute refuses the calls beyond it as busy, with the time to wait", async () => {
  const runWithin = limitUpstream({ callsPerMinute: 2 })!;
  const run = () => Promise.resolve("ok");
  expect([await runWithin(contextOf(0), run), await runWithin(contextOf(0), run)]).toEqual(["ok", "ok"]);
  const refused: unknown = await runWithin(contextOf(0), run).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "busy" });
  expect((refused as { extras: { retryAfterMs: number } }).extras.retryAfterMs).toBeGreaterThan(20_000);
});
