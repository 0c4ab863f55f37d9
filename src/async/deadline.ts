/**
 * The time limits of all running calls on one timer: a timing wheel (Varghese and Lauck, 1987). Setting and lifting a
 * limit costs two pointer changes. A timer and an AbortSignal per call would cost more than the rest of the call.
 */

/** An object with a time limit. The wheel owns the links. */
export interface Deadline {
  /** When the limit expires, on the clock of {@link now}. */
  expiresAt: number;
  /** Called once, at most {@link tickMs} plus the lag of the event loop after `expiresAt`; never before it. */
  onExpire(): void;
  earlier?: Deadline | undefined;
  later?: Deadline | undefined;
}

/** Milliseconds on a monotonic clock. */
export function now(): number {
  return performance.now();
}

const tickMs = 10;
const slotCount = 512;

// Each slot is a ring that starts and ends at its own head.
const slots = Array.from({ length: slotCount }, createHead);
let pending = 0;
let ticker: NodeJS.Timeout | undefined;
let lastTick = 0;

function createHead(): Deadline {
  const head: Deadline = { expiresAt: Infinity, onExpire() {} };
  head.earlier = head;
  head.later = head;
  return head;
}

export function setDeadline(deadline: Deadline): void {
  if (++pending === 1) startTicking();
  // A limit that has already expired is found by the next tick, which begins at the slot of the last.
  const index = Math.max(Math.floor(deadline.expiresAt / tickMs), lastTick);
  const head = slots[index % slotCount]!;
  deadline.earlier = head.earlier;
  deadline.later = head;
  head.earlier!.later = deadline;
  head.earlier = deadline;
}

/** Lifts a limit. Does nothing if it has expired or was lifted before. */
export function liftDeadline(deadline: Deadline): void {
  if (deadline.later === undefined) return;
  deadline.earlier!.later = deadline.later;
  deadline.later.earlier = deadline.earlier;
  deadline.earlier = undefined;
  deadline.later = undefined;
  pending--;
}

/** Every limit that is set and has not expired. */
export function pendingDeadlines(): Deadline[] {
  const found: Deadline[] = [];
  for (const head of slots) {
    for (let deadline = head.later!; deadline !== head; deadline = deadline.later!) found.push(deadline);
  }
  return found;
}

/**
 * Replaces the clock of the process, for tests: the wheel's own timer stops on the old clock and starts on the new one.
 * @param change replaces `performance.now`, `setInterval` and `clearInterval`
 */
export function changeClock(change: () => void): void {
  clearInterval(ticker);
  ticker = undefined;
  change();
  if (pending > 0) startTicking();
}

function startTicking(): void {
  lastTick = Math.floor(now() / tickMs);
  ticker ??= setInterval(tick, tickMs);
}

function tick(): void {
  if (pending === 0) {
    clearInterval(ticker);
    ticker = undefined;
    return;
  }
  const time = now();
  const current = Math.floor(time / tickMs);
  // From the last slot, in which some had not expired yet, over every slot that a late tick missed.
  const first = Math.max(lastTick, current - slotCount + 1);
  for (let index = first; index <= current; index++) expireSlot(slots[index % slotCount]!, time);
  lastTick = current;
}

function expireSlot(head: Deadline, time: number): void {
  let deadline = head.later!;
  while (deadline !== head) {
    const next = deadline.later!;
    if (deadline.expiresAt <= time) {
      liftDeadline(deadline);
      deadline.onExpire();
      // An expired one may have lifted others of this slot, including the next.
      deadline = next.later === undefined ? head.later! : next;
      continue;
    }
    deadline = next;
  }
}
