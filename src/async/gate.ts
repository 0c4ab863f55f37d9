import { now } from "./deadline.ts";

/** The slots of a tool that limit its concurrent runs. A call that finds no free slot waits in line. */
export interface Gate {
  /** Takes a free slot; returns false if there is none. */
  enter(): boolean;
  /** Adds a place to the line; `onSlot` is called with the slot taken. */
  wait(onSlot: () => void): Place;
  leave(): void;
  /** More slots admit waiting calls; with fewer, surplus calls finish first. `Infinity` means no limit. */
  resize(slots: number): void;
  /** Its current use, for metrics. */
  use(): GateUse;
}

export interface GateUse {
  /** `Infinity` means no limit. */
  readonly slots: number;
  /** Number of calls in line now. */
  readonly waiting: number;
  /** Number of calls that waited and got a slot, and their total waiting time. */
  readonly waited: number;
  readonly waitedMs: number;
}

/** A place in the line. */
export interface Place {
  giveUp(): void;
}

export function createGate(slots: number): Gate {
  let taken = 0;
  /** The waiting calls, with their start time. */
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
