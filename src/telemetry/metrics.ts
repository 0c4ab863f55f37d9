import { monitorEventLoopDelay } from "node:perf_hooks";
import { type ErrorCode, errorCodes } from "../errors/errors.ts";
import type { CallRecord } from "../core/observer.ts";

export interface Metrics {
  onCall(record: CallRecord): void;
  /** Counts a time for which the event loop was blocked. @param tool the name of a registered tool, or `unknown` */
  onBlocked(tool: string, blockedMs: number): void;
  /** Counts a request that was answered with an error status. */
  onRefused(refusal: { readonly code: ErrorCode }): void;
  /** Adds lines that are collected at each scrape. */
  add(collect: () => readonly string[]): void;
  /** The text format of Prometheus, version 0.0.4. */
  text(): string;
}

const upToSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface ToolSeries {
  readonly calls: Map<CallRecord["code"], number>;
  /** Number of calls per duration bucket, not cumulative; the last entry counts longer calls. */
  readonly durations: number[];
  seconds: number;
}

/**
 * Calls by tool and code, their durations, the number of running calls, and the event loop's lag. Counting is a few
 * additions per call, because a metrics library's lookup of a series by its labels costs as much as a call. Labels are
 * Toolhost's own codes and names of tools. Beyond 10,000 names, further ones are counted as `other`; so is a name of which
 * it is not known whether it is that of a tool.
 *
 * In your own app: `createRegistry({ observer: metrics })` and `createApp({ registry, metrics: metrics.text, onRefused:
 * metrics.onRefused })`.
 * @param running returns the number of calls now, including those that wait for a slot
 * @example
 * ```ts
 * import { createApp, createMetrics, createRegistry, type Registry } from "toolhost";
 *
 * const metrics = createMetrics(() => registry.load.calls);
 * const registry: Registry = createRegistry({ observer: metrics });
 * const app = createApp({ registry, metrics: metrics.text, onRefused: metrics.onRefused });
 * ```
 */
export function createMetrics(running: () => number): Metrics {
  const series = new Map<string, ToolSeries>();
  const blocks = new Map<string, { count: number; seconds: number }>();
  // All series exist from the start: a series that appears with its first event has no rate.
  const refusals = new Map<ErrorCode, number>(
    (Object.keys(errorCodes) as ErrorCode[]).filter((code) => errorCodes[code].status >= 400).map((code) => [code, 0]),
  );
  const collectors: Array<() => readonly string[]> = [];
  let lagBefore = 0;
  let lagSince = performance.now();
  /** Covers this window and the one before, so that two scrapers do not take samples from each other. */
  const lagSeconds = (): number => {
    // Without a sample it is NaN.
    const seconds = lag.percentile(99) / 1e9 || 0;
    const worst = Math.max(seconds, lagBefore);
    if (performance.now() - lagSince >= lagWindowMs) {
      lagBefore = seconds;
      lagSince = performance.now();
      lag.reset();
    }
    return worst;
  };
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  return {
    onCall({ tool, code, ms, isUnread }) {
      let own = series.get(tool);
      if (own === undefined) {
        // A caller could fill the series with names that it invents.
        const label = isUnread !== true && series.size < maxTools ? tool : "other";
        own = series.get(label) ?? {
          calls: new Map(),
          durations: Array<number>(upToSeconds.length + 1).fill(0),
          seconds: 0,
        };
        series.set(label, own);
      }
      const seconds = ms / 1000;
      let step = 0;
      while (step < upToSeconds.length && seconds > upToSeconds[step]!) step++;
      own.durations[step]!++;
      own.seconds += seconds;
      own.calls.set(code, (own.calls.get(code) ?? 0) + 1);
    },
    onBlocked(tool, blockedMs) {
      const { count, seconds } = blocks.get(tool) ?? { count: 0, seconds: 0 };
      blocks.set(tool, { count: count + 1, seconds: seconds + blockedMs / 1000 });
    },
    onRefused({ code }) {
      refusals.set(code, (refusals.get(code) ?? 0) + 1);
    },
    add: (collect) => void collectors.push(collect),
    text() {
      const text = [
        ...describe("toolhost_calls_total", "counter", "Calls by tool and outcome: ok or the error code."),
        ...[...series].flatMap(([tool, { calls }]) =>
          [...calls].map(([code, count]) => `toolhost_calls_total{tool="${tool}",code="${code}"} ${count}`),
        ),
        ...describe("toolhost_call_duration_seconds", "histogram", "How long calls took, by tool."),
        ...[...series].flatMap(([tool, own]) => durationLines(tool, own)),
        ...describe(
          "toolhost_requests_refused_total",
          "counter",
          "Requests answered with an error status, by error code.",
        ),
        ...[...refusals].map(([code, count]) => `toolhost_requests_refused_total{code="${code}"} ${count}`),
        ...describe(
          "toolhost_event_loop_blocked_total",
          "counter",
          "Number of long blocks of the event loop, by tool.",
        ),
        ...[...blocks].map(([tool, { count }]) => `toolhost_event_loop_blocked_total{tool="${tool}"} ${count}`),
        ...describe(
          "toolhost_event_loop_blocked_seconds_total",
          "counter",
          "Total time that the event loop was blocked, by tool.",
        ),
        ...[...blocks].map(([tool, own]) => `toolhost_event_loop_blocked_seconds_total{tool="${tool}"} ${own.seconds}`),
        ...gauge("toolhost_calls_in_flight", "Calls in progress, including those that wait for a slot.", running()),
        ...gauge(
          "toolhost_event_loop_lag_seconds",
          "Delay of the event loop: 99th percentile of the last 30 to 60 s.",
          lagSeconds(),
        ),
        ...gauge("process_resident_memory_bytes", "Resident memory.", process.memoryUsage.rss()),
        ...describe("process_cpu_seconds_total", "counter", "CPU time, user and system."),
        `process_cpu_seconds_total ${cpuSeconds()}`,
        ...gauge("process_start_time_seconds", "When the process started, in Unix time.", startedAt),
        ...collectors.flatMap((collect) => collect()),
      ];
      return `${text.join("\n")}\n`;
    },
  };
}

/** Sources may have tools of always new names. */
const maxTools = 10_000;
const lagWindowMs = 30_000;
const startedAt = performance.timeOrigin / 1000;

/** The lines that describe a metric. */
export function describe(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

/** A metric with one series. */
export function gauge(name: string, help: string, value: number): string[] {
  return [...describe(name, "gauge", help), `${name} ${Number.isFinite(value) ? value : 0}`];
}

function durationLines(tool: string, { durations, seconds }: ToolSeries): string[] {
  const name = "toolhost_call_duration_seconds";
  let count = 0;
  const lines = durations.map((calls, step) => {
    count += calls;
    return `${name}_bucket{tool="${tool}",le="${upToSeconds[step] ?? "+Inf"}"} ${count}`;
  });
  return [...lines, `${name}_sum{tool="${tool}"} ${seconds}`, `${name}_count{tool="${tool}"} ${count}`];
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
