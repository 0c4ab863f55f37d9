import { expect, onTestFinished, test, vi } from "vitest";
import { createFloodLimit } from "../../../src/sources/mcp/flood-limit.ts";

test("messages beyond 200 at once are read at 2,000 a second", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const flood = createFloodLimit();
  expect(flood.take(200)).toBe(0);
  expect(flood.take(100)).toBe(50);
  vi.advanceTimersByTime(50);
  expect(flood.take(2)).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(flood.take(200)).toBe(0);
  expect(flood.take(1_000_000)).toBe(1000);
});

test("what answers a request does not count, and no number of requests allows more than 10,000", () => {
  const flood = createFloodLimit();
  flood.expect();
  expect(flood.take(20)).toBe(0);
  for (let count = 0; count < 100_000; count++) flood.expect();
  expect(flood.take(10_000)).toBe(0);
  expect(flood.take(400)).toBeGreaterThan(50);
});
