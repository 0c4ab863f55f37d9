import type { Registry } from "../core/registry/registry.ts";
import type { SourceStatus } from "../core/source.ts";
import { describe, gauge } from "./metrics.ts";

/** The values that are read at each scrape. */
export interface MeasuredService {
  readonly version: string;
  readonly registry: Registry;
  readonly sources: () => readonly SourceStatus[];
  /** Number of origins whose breaker is open now. */
  readonly openBreakers: () => number;
}

/** Results of reloads and the state of the service: values for alerts. */
export interface ServiceMetrics {
  onReload(isDone: boolean): void;
  lines(): string[];
}

export function createServiceMetrics({ version, registry, sources, openBreakers }: MeasuredService): ServiceMetrics {
  const reloads = { ok: 0, failed: 0 };
  let isLastDone = true;
  let lastDoneAt = Date.now();
  return {
    onReload(isDone) {
      isLastDone = isDone;
      if (isDone) lastDoneAt = Date.now();
      reloads[isDone ? "ok" : "failed"]++;
    },
    lines: () => [
      ...describe("toolhost_build_info", "gauge", "Always 1. The labels are the versions of Toolhost and Node."),
      `toolhost_build_info{${labels({ version, node: process.versions.node })}} 1`,
      ...describe("toolhost_config_reloads_total", "counter", "Reloads of the configuration and the tools, by result."),
      ...Object.entries(reloads).map(
        ([result, count]) => `toolhost_config_reloads_total{${labels({ result })}} ${count}`,
      ),
      ...gauge("toolhost_config_last_reload_successful", "Whether the last reload took effect.", isLastDone ? 1 : 0),
      ...gauge(
        "toolhost_config_last_success_timestamp_seconds",
        "When the configuration in effect was read, in Unix time.",
        lastDoneAt / 1000,
      ),
      ...toolLines(registry, sources()),
      ...queueLines(registry),
      ...gauge(
        "toolhost_breakers_open",
        "Origins that are not called at the moment, because they failed many times.",
        openBreakers(),
      ),
    ],
  };
}

function toolLines(registry: Registry, sources: readonly SourceStatus[]): string[] {
  const unavailable = new Map<string, number>();
  for (const { source } of registry.unavailable()) unavailable.set(source, (unavailable.get(source) ?? 0) + 1);
  const each = (name: string, help: string, count: (source: SourceStatus) => number): string[] => [
    ...describe(name, "gauge", help),
    ...sources.map((source) => `${name}{${labels({ source: source.name })}} ${count(source)}`),
  ];
  return [
    ...each("toolhost_source_ready", "Whether the source is ready.", ({ state }) => (state === "ready" ? 1 : 0)),
    ...each("toolhost_source_tools", "Tools of the source that can be called.", ({ tools }) => tools),
    ...each("toolhost_source_tools_skipped", "Tools that could not be loaded.", ({ skipped }) => skipped.length),
    ...each(
      "toolhost_source_tools_unavailable",
      "Tools that exist but cannot run now.",
      ({ name }) => unavailable.get(name) ?? 0,
    ),
  ];
}

/** For tools with a limit of concurrent calls. */
function queueLines(registry: Registry): string[] {
  const gates = registry.list().flatMap(({ tool, gate }) => {
    const use = gate?.use();
    return use === undefined || use.slots === Infinity ? [] : [{ tool: labels({ tool: tool.name }), ...use }];
  });
  return [
    ...describe("toolhost_tool_concurrency_limit", "gauge", "Maximum number of calls of the tool that run at once."),
    ...gates.map(({ tool, slots }) => `toolhost_tool_concurrency_limit{${tool}} ${slots}`),
    ...describe("toolhost_tool_calls_queued", "gauge", "Calls that wait for a slot of the tool."),
    ...gates.map(({ tool, waiting }) => `toolhost_tool_calls_queued{${tool}} ${waiting}`),
    ...describe("toolhost_tool_queue_seconds_total", "counter", "How long calls waited before they got a slot."),
    ...gates.map(({ tool, waitedMs }) => `toolhost_tool_queue_seconds_total{${tool}} ${waitedMs / 1000}`),
    ...describe("toolhost_tool_queued_total", "counter", "Calls that waited for a slot and got it."),
    ...gates.map(({ tool, waited }) => `toolhost_tool_queued_total{${tool}} ${waited}`),
  ];
}

function labels(values: Readonly<Record<string, string>>): string {
  const quote = (value: string): string =>
    value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return Object.entries(values)
    .map(([name, value]) => `${name}="${quote(value)}"`)
    .join(",");
}
