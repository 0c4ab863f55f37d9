import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry as MetricsRegistry } from "prom-client";
import type { CallRecord, Registry } from "../core/registry.ts";

export interface Metrics {
  onCall(record: CallRecord): void;
  /** Prometheus' text format. */
  text(): Promise<string>;
}

const bucketsSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Calls by tool and code, how long they took, how many run now, and what the process uses, the event loop's lag included.
 * Labels are names of registered tools and our own codes, so their number is bounded.
 */
export function createMetrics(running: () => Registry["running"]): Metrics {
  const registers = [new MetricsRegistry()];
  const calls = new Counter({
    name: "toolhost_calls_total",
    help: "Calls by tool and outcome: ok or the error code.",
    labelNames: ["tool", "code"],
    registers,
  });
  const durations = new Histogram({
    name: "toolhost_call_duration_seconds",
    help: "How long calls took, by tool.",
    labelNames: ["tool"],
    buckets: bucketsSeconds,
    registers,
  });
  new Gauge({
    name: "toolhost_calls_in_flight",
    help: "Calls that wait for their tool.",
    registers,
    collect() {
      this.set(running().size);
    },
  });
  collectDefaultMetrics({ register: registers[0]! });

  // Finding a series by its labels costs more than counting: each is found once.
  const countOf = remember((tool: string) => remember((code: string) => calls.labels(tool, code)));
  const durationOf = remember((tool: string) => durations.labels(tool));
  return {
    onCall({ tool, code, ms }) {
      countOf(tool)(code).inc();
      durationOf(tool).observe(ms / 1000);
    },
    text: () => registers[0]!.metrics(),
  };
}

function remember<Value>(make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
