import { trace } from "@opentelemetry/api";
import { timeText } from "./time-text.ts";
import { serviceLogLevels } from "../tool/log-level.ts";
import { describeThrown } from "../errors/thrown.ts";

/** Writes an entry. The field `err` contains what was thrown. */
export interface LogMethod {
  (message: string): void;
  (fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Methods that write entries of the service's log, by level. */
export type Log = Readonly<Record<"trace" | "debug" | "info" | "warn" | "error" | "fatal", LogMethod>> & {
  /** Whether entries of the level are written. */
  isLevelEnabled(level: string): boolean;
};

const levels: readonly string[] = serviceLogLevels;

/**
 * @param level the lowest level that is written; `silent` disables all
 * @param write receives each entry as a line of JSON, including its line break
 */
export function createLogger(level: string, write: (line: string) => void): Log {
  const lowest = levels.indexOf(level);
  const isLevelEnabled = (asked: string): boolean => levels.indexOf(asked) >= lowest;
  const methodOf = (name: string): LogMethod => {
    if (!isLevelEnabled(name)) return () => undefined;
    return (first: string | Readonly<Record<string, unknown>>, message?: string) => {
      write(typeof first === "string" ? entryLine(name, {}, first) : entryLine(name, first, message ?? ""));
    };
  };
  return {
    trace: methodOf("trace"),
    debug: methodOf("debug"),
    info: methodOf("info"),
    warn: methodOf("warn"),
    error: methodOf("error"),
    fatal: methodOf("fatal"),
    isLevelEnabled,
  };
}

/** One entry as a line of JSON. */
export function entryLine(level: string, fields: Readonly<Record<string, unknown>>, message: string): string {
  let line = `{"level":"${level}","time":"${timeText()}"`;
  const all = fields["traceId"] === undefined ? { ...fields, ...traceOf() } : fields;
  for (const [name, value] of Object.entries(all)) {
    const json = name === "err" ? JSON.stringify(describeThrown(value)) : safeJson(value);
    if (json !== undefined) line += `,${JSON.stringify(name)}:${json}`;
  }
  return `${line},"msg":${JSON.stringify(message)}}\n`;
}

/** The trace that a line belongs to; empty without an OpenTelemetry SDK. */
function traceOf(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
}

/** Tools may log any value: a cycle, a BigInt, a getter that throws. */
function safeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return '"(not JSON)"';
  }
}
