import { describe, expect, it } from "vitest";
import { type Deadline, liftDeadline, now, setDeadline } from "../../src/async/deadline.ts";
import { sleep } from "../core/one-tool.ts";

interface Watched extends Deadline {
  expiredAt: number[];
}

function deadlineIn(ms: number): Watched {
  const deadline: Watched = {
    expiresAt: now() + ms,
    expiredAt: [],
    onExpire: () => void deadline.expiredAt.push(now()),
  };
  setDeadline(deadline);
  return deadline;
}

describe("on the real clock, a deadline", () => {
  it.each([0, 1, 9, 10, 11, 55, 200])("of %i ms passes once, not early and within 100 ms", async (ms) => {
    const deadline = deadlineIn(ms);
    await sleep(ms + 100);
    expect(deadline.expiredAt).toHaveLength(1);
    expect(deadline.expiredAt[0]! - deadline.expiresAt).toBeGreaterThanOrEqual(0);
    expect(deadline.expiredAt[0]! - deadline.expiresAt).toBeLessThan(100);
  });

  it("that passes while the event loop is blocked is caught up on, and so are all the others", async () => {
    const deadlines = Array.from({ length: 30 }, (_, i) => deadlineIn(i * 10));
    await sleep(0);
    for (const end = now() + 320; now() < end;);
    await sleep(40);
    expect(deadlines.every(({ expiredAt }) => expiredAt.length === 1)).toBe(true);
  });
});

it("no timer is left running once there is no deadline", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  await sleep(40);
  const before = timers();
  const deadline = deadlineIn(5000);
  expect(timers()).toBe(before + 1);
  liftDeadline(deadline);
  await sleep(60);
  expect(timers()).toBeLessThanOrEqual(before);
});
