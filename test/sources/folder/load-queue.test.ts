import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadInTurn } from "../../../src/sources/folder/load-queue.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a load that fails beside others is repeated when no other runs, whatever is asked for in the meantime", async () => {
  let running = 0;
  const load = (fails: boolean) => async (): Promise<string> => {
    const isAlone = ++running === 1;
    // Longer than the next one waits for it.
    await new Promise((resolve) => setTimeout(resolve, 700));
    const others = --running;
    if (fails && (!isAlone || others > 0)) throw new Error("it ran beside another one");
    return "loaded";
  };
  const loads = [1, 2, 3, 4].flatMap(() => [loadInTurn(load(false)), loadInTurn(load(true))]);
  const loaded = Promise.all(loads);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await loaded).toEqual(loads.map(() => "loaded"));
});
