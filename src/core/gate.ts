/** The slots of a tool that may not run more than so many times at once. Who finds none free waits in line. */
export interface Gate {
  /** Takes a free slot, or answers false. */
  enter(): boolean;
  /** Puts a place in the line; `onSlot` is called with the slot taken. */
  wait(onSlot: () => void): Place;
  leave(): void;
  /** More slots let in who waits; of fewer, the surplus goes as it leaves. `Infinity` is no limit. */
  resize(slots: number): void;
}

/** A place in the line. */
export interface Place {
  giveUp(): void;
}

export function createGate(slots: number): Gate {
  let taken = 0;
  const line = new Set<() => void>();
  return {
    enter() {
      if (taken >= slots) return false;
      taken++;
      return true;
    },
    wait(onSlot) {
      line.add(onSlot);
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
  };

  function letIn(): void {
    while (taken < slots) {
      const [next] = line;
      if (next === undefined) return;
      line.delete(next);
      taken++;
      next();
    }
  }
}
