import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Deadline, liftDeadline, now, setDeadline } from "../../src/async/deadline.ts";
import { holdClock, pass, releaseClock } from "./manual-clock.ts";
import { sizeOf } from "../runs.ts";

/** How late a deadline may pass: the width of a slot of the wheel. */
const tickMs = 10;

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

beforeEach(holdClock);
afterEach(async () => {
  await pass(2 * tickMs); // The wheel stops its timer, which is one of the clock's.
  releaseClock();
});

describe("a deadline", () => {
  it.each([0, 1, 9, 10, 11, 55, 200, 5119, 5120, 5121, 60_000])("of %i ms passes once, within a tick", async (ms) => {
    const deadline = deadlineIn(ms);
    await pass(ms + tickMs);
    expect(deadline.expiredAt).toHaveLength(1);
    expect(deadline.expiredAt[0]! - deadline.expiresAt).toBeGreaterThanOrEqual(0);
    expect(deadline.expiredAt[0]! - deadline.expiresAt).toBeLessThanOrEqual(tickMs);
  });

  it.each([1, 11, 200, 60_000])("of %i ms does not pass before its time", async (ms) => {
    const deadline = deadlineIn(ms);
    await pass(ms - 1);
    expect(deadline.expiredAt).toEqual([]);
    liftDeadline(deadline);
  });

  it("that has passed already expires at the next tick", async () => {
    const deadline = deadlineIn(-1000);
    expect(deadline.expiredAt).toEqual([]);
    await pass(tickMs);
    expect(deadline.expiredAt).toHaveLength(1);
  });

  it("that is lifted never passes, however often it is lifted", async () => {
    const [lifted, kept] = [deadlineIn(20), deadlineIn(20)];
    liftDeadline(lifted);
    liftDeadline(lifted);
    await pass(80);
    expect(lifted.expiredAt).toEqual([]);
    expect(kept.expiredAt).toHaveLength(1);
  });

  it("of 15 minutes shares a slot of the wheel with near ones and does not pass with them", async () => {
    const far = deadlineIn(900_000);
    const round = deadlineIn(5120 + 20);
    const near = deadlineIn(20);
    await pass(80);
    expect([far, round, near].map(({ expiredAt }) => expiredAt.length)).toEqual([0, 0, 1]);
    liftDeadline(far);
    liftDeadline(round);
  });

  it("may lift its neighbours and set new ones when it passes", async () => {
    const came: string[] = [];
    const at = now() + 20;
    const make = (name: string, then: () => void = () => undefined): Deadline => ({
      expiresAt: at,
      onExpire: () => {
        came.push(name);
        then();
      },
    });
    const second = make("second");
    const third = make("third");
    const next = make("next");
    const first = make("first", () => (liftDeadline(second), liftDeadline(third), setDeadline(next)));
    for (const deadline of [first, second, third, make("fourth")]) setDeadline(deadline);
    await pass(100);
    expect(came.sort()).toEqual(["first", "fourth", "next"]);
  });
});

it("thousands of deadlines at once pass each once and never early", async () => {
  const deadlines = Array.from({ length: sizeOf(10_000, 3000) }, (_, i) => deadlineIn(1 + (i % 150)));
  const lifted = deadlines.filter((_, i) => i % 3 === 0);
  lifted.forEach(liftDeadline);
  await pass(160);
  for (const [i, { expiredAt, expiresAt }] of deadlines.entries()) {
    expect(expiredAt.length).toBe(i % 3 === 0 ? 0 : 1);
    expect(expiredAt.every((time) => time >= expiresAt && time <= expiresAt + tickMs)).toBe(true);
  }
});
