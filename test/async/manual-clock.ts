import { vi } from "vitest";
import { changeClock } from "../../src/async/deadline.ts";

/**
 * Puts a clock that stands still in place of the process's own: deadlines, queues and sleeps pass when {@link pass} says
 * so, however busy the machine is. Undo it with {@link releaseClock}.
 */
export function holdClock(): void {
  changeClock(() => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
}

/** Lets time pass: timers run in their order, and promises settle between them. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Lets time pass while the event loop stands still, as for a tool that computes: no timer runs. */
export function block(ms: number): void {
  const time = performance.now() + ms;
  vi.spyOn(performance, "now").mockImplementation(() => time);
}

export function releaseClock(): void {
  changeClock(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/** What a promise came to so far: its value, or `undefined` while it is pending. Does not wait. */
export function peek<T>(promise: Promise<T>): { readonly value: T | undefined } {
  const seen: { value: T | undefined } = { value: undefined };
  void promise.then((value) => (seen.value = value));
  return seen;
}
