/** Messages that each request of ours may be answered with, before they count. */
const messagesPerRequest = 20;
/** As many calls can run at once by default. */
const maxExpected = 10_000;
/** Other messages that are read without a pause, and how many more each millisecond. */
const maxAtOnce = 200;
const perMs = 2;
const longestPauseMs = 1000;

/** Keeps a server that sends without end from taking the time of others: its streams are paused, so that it waits. */
export interface FloodLimit {
  /** Called for each request to the server. */
  expect(): void;
  /** Called for what was read. @returns for how long nothing more is read, in milliseconds */
  take(messages: number): number;
}

export function createFloodLimit(): FloodLimit {
  let expected = 0;
  let excess = 0;
  let lastAt = 0;
  return {
    expect() {
      expected = Math.min(expected + messagesPerRequest, maxExpected);
    },
    take(messages) {
      const free = Math.min(expected, messages);
      expected -= free;
      const now = performance.now();
      excess = Math.max(0, excess - (now - lastAt) * perMs) + messages - free;
      lastAt = now;
      return Math.min(Math.max(0, excess - maxAtOnce) / perMs, longestPauseMs);
    },
  };
}
