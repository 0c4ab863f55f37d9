import type { Registry } from "../core/registry/registry.ts";
import type { SourceStatus } from "../core/source.ts";
import type { Log } from "../telemetry/logger.ts";

/** Logs the results of the sources, and problems that operators should correct. */
export interface SourceLog {
  /** After the configuration was read. */
  loaded(sources: readonly SourceStatus[]): void;
  /** After a source was read by itself. An unchanged result is not logged: an unreachable source is read many times. */
  updated(source: SourceStatus, sources: readonly SourceStatus[]): void;
}

export function createSourceLog(log: Log, registry: Registry): SourceLog {
  const logged = new Map<string, string>();
  let hasCheckedOverrides = false;

  const logSource = (source: SourceStatus): void => {
    const { name, state, reason, tools, skipped, warnings } = source;
    logged.set(name, JSON.stringify(source));
    if (state === "ready") log.info({ source: name, state, tools }, "tools loaded");
    else if (reason === undefined) log.info({ source: name, state }, "source not read yet");
    else log.warn({ source: name, state, tools, reason }, "source not ready");
    for (const { name: tool, reason } of skipped) log.warn({ source: name, tool, reason }, "tool skipped");
    for (const { name: tool, path, message } of warnings)
      log.warn({ source: name, tool, path, message }, "tool warning");
  };
  /** A source that was not read yet may have the tool. */
  const checkOverrides = (sources: readonly SourceStatus[]): void => {
    if (hasCheckedOverrides || !sources.every(({ isRead }) => isRead)) return;
    hasCheckedOverrides = true;
    for (const tool of registry.unknownOverrides()) log.warn({ tool }, "overrides name a tool that does not exist");
  };
  return {
    loaded(sources) {
      logged.clear();
      hasCheckedOverrides = false;
      for (const source of sources) logSource(source);
      checkOverrides(sources);
    },
    updated(source, sources) {
      if (logged.get(source.name) !== JSON.stringify(source)) logSource(source);
      checkOverrides(sources);
    },
  };
}
