/** The slots of a tool that may not run more than so many times at once. Who finds none free waits in line. */
export interface Gate {
  readonly slots: number;
  /** Takes a free slot, or answers false. */
  enter(): boolean;
  /** Puts a place in the line; `onSlot` is called with the slot taken. */
  wait(onSlot: () => void): Place;
  leave(): void;
}

/** A place in the line. */
export interface Place {
  giveUp(): void;
}

export function createGate(slots: number): Gate {
  let free = slots;
  const line = new Set<() => void>();
  return {
    slots,
    enter() {
      if (free === 0) return false;
      free--;
      return true;
    },
    wait(onSlot) {
      line.add(onSlot);
      return { giveUp: () => void line.delete(onSlot) };
    },
    leave() {
      const [next] = line;
      if (next === undefined) {
        free++;
        return;
      }
      line.delete(next);
      next();
    },
  };
}
