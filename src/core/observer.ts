import type { ErrorCode } from "../errors/errors.ts";
import type { JsonObject } from "../json/object.ts";
import type { LogLevel } from "../tool/log-level.ts";

/** What is wrong with a tool that runs all the same, such as a misspelt field. */
export interface ToolWarning {
  /** The tool's name, or its folder's. */
  readonly name: string;
  /** JSON Pointer into the tool, such as `/parameters/requried`. Absent if it is about the tool as a whole. */
  readonly path?: string;
  readonly message: string;
}

/** One call that has ended. Never holds arguments or results. */
export interface CallRecord {
  readonly callId: string;
  readonly tool: string;
  readonly source: string;
  /** The caller's name, for people: see {@link Caller.name}. */
  readonly caller: string;
  readonly code: "ok" | ErrorCode;
  readonly ms: number;
  /** Of the request that made the call; several calls of one request have the same. Absent without a request. */
  readonly requestId?: string | undefined;
  /** The OpenTelemetry trace that the call is part of, 32 hexadecimal digits. */
  readonly traceId?: string | undefined;
  /** What went wrong inside, for the log alone. */
  readonly cause?: unknown;
}

export interface ToolLogEntry {
  /** Absent where the tool spoke outside of any call. */
  readonly callId?: string;
  readonly tool: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: JsonObject;
  /** These as in {@link CallRecord}; absent where the tool spoke outside of any call. */
  readonly caller?: string | undefined;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
}

/** Who wants to know what happens. */
export interface Observer {
  onCall?(record: CallRecord): void;
  onToolLog?(entry: ToolLogEntry): void;
  /** A tool that was given to the registry by `tools` or `add` runs, and should be fixed. */
  onToolWarning?(warning: ToolWarning): void;
}
