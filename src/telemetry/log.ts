import { setTimeout as sleep } from "node:timers/promises";
import { trace } from "@opentelemetry/api";
import pino from "pino";
import type { CallRecord, ToolLogEntry } from "../core/registry.ts";

export type Log = pino.Logger;

/** The service's log: one line of JSON an entry, on stderr. Never holds arguments or results. */
export interface ServiceLog {
  readonly log: Log;
  call(record: CallRecord): void;
  tool(entry: ToolLogEntry): void;
  /** Waits until all is written, or nobody reads it. The last lines of a process would else come before those in writing. */
  written(): Promise<void>;
}

/** For a reader that stands still, who must not keep the process from ending. */
const lastWriteMs = 500;

export function createServiceLog(level: string): ServiceLog {
  // Lines wait for each other a little: one write a line would cost a call more than the call.
  const destination = pino.destination({
    fd: 2,
    sync: false,
    minLength: 4096,
    maxLength: 8_388_608,
    periodicFlush: 100,
  });
  // Where the reader is gone there is nobody to tell: the service goes on, and must be able to end.
  let isBroken = false;
  destination.on("error", () => (isBroken = true));
  process.on("exit", () => {
    if (!isBroken) flush(destination);
  });
  const serializers = { err: (thrown: unknown) => describeThrown(thrown) };
  const timestamp = (): string => `,"time":"${isoTime()}"`;
  const log = pino({ level, base: null, timestamp, mixin: traceOf, serializers }, destination);
  const tellsCalls = log.isLevelEnabled("info");
  return {
    log,
    call(record) {
      if (record.cause !== undefined) logFailedCall(log, record);
      else if (tellsCalls) destination.write(callLine(record));
    },
    tool: (entry) => logToolEntry(log, entry),
    written() {
      if (isBroken) return Promise.resolve();
      const written = new Promise<void>((resolve) => destination.flush(() => resolve()));
      return Promise.race([written, sleep(lastWriteMs, undefined, { ref: false })]);
    },
  };
}

/** One call as pino would write it. By hand, because there is one for every call, and pino's way costs as much as a call. */
function callLine({ callId, tool, caller, code, ms }: CallRecord): string {
  const fields = `"callId":"${callId}","tool":"${tool}","caller":${JSON.stringify(caller)},"code":"${code}","ms":${roundMs(ms)}`;
  return `{"level":30,"time":"${isoTime()}",${fields},"msg":"call"}\n`;
}

let lastMs = 0;
let lastTime = "";

function isoTime(): string {
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    lastTime = new Date(ms).toISOString();
  }
  return lastTime;
}

function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function flush(destination: { flushSync(): void }): void {
  try {
    destination.flushSync();
  } catch {
    // It was not open yet, or its reader is gone.
  }
}

/** The trace that a line belongs to; nothing without an OpenTelemetry SDK. */
function traceOf(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

interface Thrown {
  readonly type?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: Thrown;
}

const maxCauses = 5;

/**
 * What was thrown, which may be anything, in words. The fields of its own stay out: tools throw their arguments, and
 * HTTP clients put whole requests on their errors, keys and all.
 */
function describeThrown(thrown: unknown, causes = 0): Thrown {
  if (thrown === null || (typeof thrown !== "object" && typeof thrown !== "function"))
    return { message: String(thrown) };
  try {
    const { name, message, stack, cause } = thrown as Partial<Record<keyof Error, unknown>>;
    return {
      ...(typeof name === "string" && { type: name }),
      message: typeof message === "string" ? message : "something was thrown that is no error",
      ...(typeof stack === "string" && { stack }),
      ...(cause !== undefined && causes < maxCauses && { cause: describeThrown(cause, causes + 1) }),
    };
  } catch {
    return { message: "something was thrown that cannot be read" };
  }
}

function logFailedCall(log: Log, { callId, tool, caller, code, ms, cause }: CallRecord): void {
  log.warn({ callId, tool, caller, code, ms: roundMs(ms), err: cause }, "call");
}

function logToolEntry(log: Log, { callId, tool, level, message, fields }: ToolLogEntry): void {
  const method = level === "debug" || level === "warn" || level === "error" ? level : "info";
  log[method]({ callId, tool, ...(fields !== undefined && { fields }) }, String(message));
}
