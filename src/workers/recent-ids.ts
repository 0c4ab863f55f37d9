/** The newest of many ids. It forgets the oldest half at once, so that adding one costs nearly nothing. */
export interface RecentIds {
  add(id: string): void;
  has(id: string): boolean;
}

/** @param count how many are kept at least */
export function createRecentIds(count: number): RecentIds {
  let newer = new Set<string>();
  let older = new Set<string>();
  return {
    add(id) {
      newer.add(id);
      if (newer.size < count) return;
      older = newer;
      newer = new Set();
    },
    has: (id) => newer.has(id) || older.has(id),
  };
}
