import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMeter } from "../../src/access/rate.ts";

describe("a meter", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  const takeMany = (meter: ReturnType<typeof createMeter>, count: number): number[] =>
    Array.from({ length: count }, () => meter.take());

  it("lets a minute's calls come at once, and says when the next may", () => {
    const meter = createMeter(5);
    expect(takeMany(meter, 6)).toEqual([0, 0, 0, 0, 0, 12_000]);
    vi.advanceTimersByTime(4000);
    expect(meter.take()).toBe(8000);
  });

  it.each([1, 3, 7, 60, 600, 999, 100_000])("of %d a minute lets the next call in after the time it told", (count) => {
    const meter = createMeter(count);
    takeMany(meter, count);
    for (let round = 0; round < 200; round++) {
      const waitMs = meter.take();
      expect(waitMs).toBeGreaterThan(0);
      vi.advanceTimersByTime(waitMs);
      expect(meter.take()).toBe(0);
      // Faster ones gain a part of a call by waiting whole milliseconds.
      while (meter.take() === 0);
    }
  });

  it("takes nothing for a call that it refused", () => {
    const meter = createMeter(1);
    expect(meter.take()).toBe(0);
    for (let second = 60; second > 0; second--) {
      expect(meter.take()).toBe(second * 1000);
      vi.advanceTimersByTime(1000);
    }
    expect(meter.take()).toBe(0);
  });

  it("saves up a minute's calls and no more", () => {
    const meter = createMeter(10);
    vi.advanceTimersByTime(3_600_000);
    expect(takeMany(meter, 12).filter((waitMs) => waitMs === 0)).toHaveLength(10);
  });

  it("goes by a clock that no one sets", () => {
    const meter = createMeter(1);
    meter.take();
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(meter.take()).toBe(60_000);
  });

  it.each([0, -1, 1.5, NaN, Infinity])("of %d calls is none", (count) => {
    expect(() => createMeter(count)).toThrow("callsPerMinute must be a whole number of at least 1");
  });
});
