import type { Registry } from "../core/registry/registry.ts";
import type { SourceStatus } from "../core/source.ts";
import type { Log } from "../telemetry/logger.ts";

/** Logs the results of the sources, and problems that operators should correct. */
export interface SourceLog {
  /** After the configuration was read. */
  loaded(sources: readonly SourceStatus[]): void;
  /**
   * After a source was read by itself. What did not change is not logged again: an unreachable source is read many times,
   * and a source of many workers changes with each of them.
   */
  updated(source: SourceStatus, sources: readonly SourceStatus[]): void;
}

/** What was logged of a source. */
interface Logged {
  readonly status: string;
  /** Each skipped tool and each warning. */
  readonly problems: ReadonlySet<string>;
}

export function createSourceLog(log: Log, registry: Registry): SourceLog {
  const logged = new Map<string, Logged>();
  let hasCheckedOverrides = false;

  const logSource = (source: SourceStatus): void => {
    const { name, state, reason, tools, skipped, warnings } = source;
    const status = JSON.stringify(source);
    const before = logged.get(name);
    if (before?.status === status) return;
    if (state === "ready") log.info({ source: name, state, tools }, "tools loaded");
    else if (reason === undefined) log.info({ source: name, state }, "source not read yet");
    else log.warn({ source: name, state, tools, reason }, "source not ready");
    const problems = new Set<string>();
    const warn = (fields: object, message: string): void => {
      const problem = JSON.stringify([fields, message]);
      if (problems.has(problem)) return;
      problems.add(problem);
      if (before?.problems.has(problem) !== true) log.warn({ source: name, ...fields }, message);
    };
    for (const { name: tool, reason } of skipped) warn({ tool, reason }, "tool skipped");
    for (const { name: tool, path, message } of warnings) warn({ tool, path, message }, "tool warning");
    logged.set(name, { status, problems });
  };
  /** Workers may have any number of names, one after the other. */
  const forgetOthers = (sources: readonly SourceStatus[]): void => {
    const names = new Set(sources.map(({ name }) => name));
    for (const name of logged.keys()) if (!names.has(name)) logged.delete(name);
  };
  /** A source that was not read yet may have the tool. */
  const checkOverrides = (sources: readonly SourceStatus[]): void => {
    if (hasCheckedOverrides || !sources.every(({ isRead }) => isRead)) return;
    hasCheckedOverrides = true;
    for (const tool of registry.unknownOverrides())
      log.warn({ tool }, '"overrides" contains an entry for a tool that does not exist');
  };
  return {
    loaded(sources) {
      logged.clear();
      hasCheckedOverrides = false;
      for (const source of sources) logSource(source);
      checkOverrides(sources);
    },
    updated(source, sources) {
      logSource(source);
      forgetOthers(sources);
      checkOverrides(sources);
    },
  };
}
