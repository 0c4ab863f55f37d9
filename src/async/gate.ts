import { now } from "./deadline.ts";

/** The slots of a tool that may not run more than so many times at once. Who finds none free waits in line. */
export interface Gate {
  /** Takes a free slot, or answers false. */
  enter(): boolean;
  /** Puts a place in the line; `onSlot` is called with the slot taken. */
  wait(onSlot: () => void): Place;
  leave(): void;
  /** More slots let in who waits; of fewer, the surplus goes as it leaves. `Infinity` is no limit. */
  resize(slots: number): void;
  /** How it is used, for metrics. */
  use(): GateUse;
}

export interface GateUse {
  /** `Infinity` is no limit. */
  readonly slots: number;
  /** How many are in line now. */
  readonly waiting: number;
  /** How many waited and got a slot, and for how long in all. */
  readonly waited: number;
  readonly waitedMs: number;
}

/** A place in the line. */
export interface Place {
  giveUp(): void;
}

export function createGate(slots: number): Gate {
  let taken = 0;
  /** Who waits, and since when. */
  const line = new Map<() => void, number>();
  let waited = 0;
  let waitedMs = 0;
  return {
    enter() {
      if (taken >= slots) return false;
      taken++;
      return true;
    },
    wait(onSlot) {
      line.set(onSlot, now());
      return { giveUp: () => void line.delete(onSlot) };
    },
    leave() {
      taken--;
      letIn();
    },
    resize(next) {
      slots = next;
      letIn();
    },
    use: () => ({ slots, waiting: line.size, waited, waitedMs }),
  };

  function letIn(): void {
    while (taken < slots) {
      const [first] = line;
      if (first === undefined) return;
      const [next, since] = first;
      line.delete(next);
      waited++;
      waitedMs += now() - since;
      taken++;
      next();
    }
  }
}
