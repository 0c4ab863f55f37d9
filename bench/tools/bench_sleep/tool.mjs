import { setTimeout as sleep } from "node:timers/promises";

const sleepMs = 1000;

// For the burst: a call that costs no CPU while it is in flight.
export const tool = {
  name: "bench_sleep",
  description: "Waits one second (for the benchmark).",
  annotations: { readOnly: true },
  async execute() {
    await sleep(sleepMs);
    return { slept_ms: sleepMs };
  },
};
