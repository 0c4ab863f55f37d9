import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { inTime } from "../../src/async/in-time.ts";
import { untilAborted } from "../../src/async/until-aborted.ts";

const never = new Promise<never>(() => undefined);

describe("untilAborted", () => {
  it("gives what the work gives, and leaves no listener", async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(untilAborted(Promise.reject(new Error("own")), signal)).rejects.toThrow("own");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("throws the reason of the signal, before or while it waits", async () => {
    const stop = new AbortController();
    const waiting = untilAborted(never, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    await expect(untilAborted(never, stop.signal)).rejects.toThrow("stopped");
  });

  it("leaves no rejection unhandled if the work fails later", async () => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", listener);
    const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error("late")), 1));
    await expect(untilAborted(late, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off("unhandledRejection", listener);
    expect(unhandled).toEqual([]);
  });
});

describe("inTime", () => {
  it("gives what the work gives, without a limit too", async () => {
    expect(await inTime(Promise.resolve(1), 1000, () => 2)).toBe(1);
    expect(await inTime(Promise.resolve(1), Infinity, () => 2)).toBe(1);
  });

  it("gives or throws what comes of being late", async () => {
    expect(await inTime(never, 1, () => 2)).toBe(2);
    const late = inTime(never, 1, () => {
      throw new Error("late");
    });
    await expect(late).rejects.toThrow("late");
  });
});
