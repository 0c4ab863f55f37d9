import { describe, expect, it } from "vitest";
import { type Deadline, liftDeadline, now, setDeadline } from "../../src/core/deadline.ts";
import { sleep } from "./one-tool.ts";

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

function block(ms: number): void {
  for (const end = now() + ms; now() < end;);
}

describe("a deadline", () => {
  it.each([0, 1, 9, 10, 11, 55, 200])("of %i ms passes once, not early and within 100 ms", async (ms) => {
    const deadline = deadlineIn(ms);
    await sleep(ms + 100);
    expect(deadline.expiredAt).toHaveLength(1);
    expect(deadline.expiredAt[0]! - deadline.expiresAt).toBeGreaterThanOrEqual(0);
    expect(deadline.expiredAt[0]! - deadline.expiresAt).toBeLessThan(100);
  });

  it("that has passed already is told of by the next tick", async () => {
    const deadline = deadlineIn(-1000);
    expect(deadline.expiredAt).toEqual([]);
    await sleep(60);
    expect(deadline.expiredAt).toHaveLength(1);
  });

  it("that is lifted never passes, however often it is lifted", async () => {
    const [lifted, kept] = [deadlineIn(20), deadlineIn(20)];
    liftDeadline(lifted);
    liftDeadline(lifted);
    await sleep(80);
    expect(lifted.expiredAt).toEqual([]);
    expect(kept.expiredAt).toHaveLength(1);
  });

  it("of 15 minutes shares a slot of the wheel with near ones and does not pass with them", async () => {
    const far = deadlineIn(900_000);
    const round = deadlineIn(5120 + 20);
    const near = deadlineIn(20);
    await sleep(80);
    expect([far, round, near].map(({ expiredAt }) => expiredAt.length)).toEqual([0, 0, 1]);
    liftDeadline(far);
    liftDeadline(round);
  });

  it("that passes while the event loop is blocked is caught up on, and so are all the others", async () => {
    const deadlines = Array.from({ length: 30 }, (_, i) => deadlineIn(i * 10));
    await sleep(0);
    block(320);
    await sleep(40);
    expect(deadlines.every(({ expiredAt }) => expiredAt.length === 1)).toBe(true);
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
    await sleep(100);
    expect(came.sort()).toEqual(["first", "fourth", "next"]);
  });
});

it("10,000 deadlines at once pass each once and never early", async () => {
  const deadlines = Array.from({ length: 10_000 }, (_, i) => deadlineIn(1 + (i % 150)));
  const lifted = deadlines.filter((_, i) => i % 3 === 0);
  lifted.forEach(liftDeadline);
  await sleep(260);
  for (const [i, { expiredAt, expiresAt }] of deadlines.entries()) {
    expect(expiredAt.length).toBe(i % 3 === 0 ? 0 : 1);
    expect(expiredAt.every((time) => time >= expiresAt)).toBe(true);
  }
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
