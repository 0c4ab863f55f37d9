import { setImmediate as nextTurn } from "node:timers/promises";

/** How long items are read before other work has its turn, in milliseconds. */
const turnMs = 20;

/** Reads many items one by one, and lets other work, such as calls, run in between. */
export async function inTurns<Item>(items: Iterable<Item>, read: (item: Item) => void): Promise<void> {
  let turnEnds = performance.now() + turnMs;
  for (const item of items) {
    if (performance.now() > turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + turnMs;
    }
    read(item);
  }
}
