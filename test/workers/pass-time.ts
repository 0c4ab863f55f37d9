import { onTestFinished, vi } from "vitest";

/**
 * Stops the clock of leases and time limits for a test, which then passes time itself. Timers are real: a lease that has
 * ended is noticed within half a second.
 */
export function stopClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.advanceTimersByTime(ms);
}
