/** Levels at which a tool may log. */
export type LogLevel = "debug" | "info" | "warn" | "error";

const levels: ReadonlySet<unknown> = new Set<LogLevel>(["debug", "info", "warn", "error"]);

/** The level that a tool named; `info` if there is no such level. */
export function readLogLevel(level: unknown): LogLevel {
  return isLogLevel(level) ? level : "info";
}

export function isLogLevel(level: unknown): level is LogLevel {
  return levels.has(level);
}

/** Levels of the service's own log, from the most entries to none. */
export const serviceLogLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
