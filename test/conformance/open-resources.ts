import { setTimeout as sleep } from "node:timers/promises";

/** What Node has open, by kind. */
function resources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** What is open for longer than the runner's own timers, which come and go. */
export async function restingResources(): Promise<Map<string, number>> {
  let least = resources();
  for (let look = 0; look < 20; look++) {
    await sleep(5);
    const now = resources();
    least = new Map([...least].map(([name, count]) => [name, Math.min(count, now.get(name) ?? 0)]));
  }
  return least;
}

/** The kinds of which Node has more open now. */
export function moreThan(before: ReadonlyMap<string, number>): string[] {
  return [...resources()].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
}
