import type { CallRecord, ToolLogEntry } from "../core/observer.ts";
import { callLine, roundMs } from "./call-line.ts";
import { createLineWriter, openStderr } from "./line-writer.ts";
import { createLogger, entryLine, type Log } from "./logger.ts";

export type { Log } from "./logger.ts";

/** The service's log: one line of JSON per entry, on stderr. It never contains arguments or results. */
export interface ServiceLog {
  readonly log: Log;
  /** The descriptor that it writes to, without blocking. */
  readonly fd: number;
  call(record: CallRecord): void;
  tool(entry: ToolLogEntry): void;
  /** Writes an entry at every level. */
  always(line: string): void;
  /** Waits until all is written, at most `withinMs`: a stalled reader must not keep the process from ending. */
  written(withinMs: number): Promise<void>;
  /** Writes what is left at once. Call it when the process exits. */
  end(): void;
}

/** How long the exit of the process waits for a full pipe. The process must end within 200 ms of a second signal. */
const lastWriteMs = 50;

/** @param fd the descriptor to write to. @default stderr */
export function createServiceLog(level: string, fd = openStderr()): ServiceLog {
  const writer = createLineWriter(fd, {
    describeLost: (lines) => entryLine("warn", { lines }, "lines of the log could not be written"),
  });
  const log = createLogger(level, writer.write);
  const writesCalls = log.isLevelEnabled("info");
  return {
    log,
    fd,
    call(record) {
      if (record.cause !== undefined) logFailedCall(log, record);
      else if (writesCalls) writer.write(callLine(record));
    },
    tool: (entry) => logToolEntry(log, entry),
    always: writer.write,
    written: writer.written,
    end: () => writer.end(lastWriteMs),
  };
}

function logFailedCall(log: Log, { callId, tool, caller, code, ms, requestId, traceId, cause }: CallRecord): void {
  log.warn({ callId, tool, caller, code, ms: roundMs(ms), requestId, traceId, err: cause }, "call");
}

function logToolEntry(
  log: Log,
  { callId, tool, caller, level, message, fields, requestId, traceId }: ToolLogEntry,
): void {
  const method = level === "debug" || level === "warn" || level === "error" ? level : "info";
  log[method]({ callId, tool, caller, requestId, traceId, fields }, String(message));
}
