import { setImmediate as nextTurn } from "node:timers/promises";

/** How long items are read before other work has its turn, in milliseconds. */
const turnMs = 20;

/** Reads each item, in turns with other work: a long list never blocks the event loop for long. */
export async function inTurns<Item>(items: readonly Item[], read: (item: Item) => void): Promise<void> {
  let turnEnds = performance.now() + turnMs;
  for (const item of items) {
    if (performance.now() > turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + turnMs;
    }
    read(item);
  }
}
