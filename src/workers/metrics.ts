import { describe, gauge } from "../telemetry/metrics.ts";
import type { Workers } from "./workers.ts";

/** What is measured of workers, in the text format of Prometheus. */
export function workerLines({ status, dropped }: Workers): string[] {
  const workers = status().flatMap((source) => source.workers ?? []);
  const inFlight = workers.reduce((sum, worker) => sum + worker.inFlight, 0);
  return [
    ...gauge("toolhost_workers", "Workers that are registered.", workers.length),
    ...gauge("toolhost_worker_calls_in_flight", "Calls that workers run.", inFlight),
    ...describe(
      "toolhost_worker_answers_dropped_total",
      "counter",
      "Answers of workers that had no effect, because the call was over or the worker was not given the call.",
    ),
    `toolhost_worker_answers_dropped_total{reason="over"} ${dropped.over}`,
    `toolhost_worker_answers_dropped_total{reason="unknown"} ${dropped.unknown}`,
  ];
}
