import type { ErrorCode } from "../errors/errors.ts";
import type { JsonObject } from "../json/object.ts";
import type { LogLevel } from "../tool/log-level.ts";

/** A problem of a tool that can still run, such as a misspelt field. */
export interface ToolWarning {
  /** The tool's name, or its folder's. */
  readonly name: string;
  /** JSON Pointer into the tool, such as `/parameters/requried`. Absent if the problem concerns the whole tool. */
  readonly path?: string;
  readonly message: string;
}

/** One call that has ended. Never contains arguments or results. */
export interface CallRecord {
  readonly callId: string;
  readonly tool: string;
  readonly source: string;
  /** The caller's name, for people: see {@link Caller.name}. */
  readonly caller: string;
  readonly code: "ok" | ErrorCode;
  readonly ms: number;
  /** The id of the request that made the call; all calls of a request have the same. Absent without a request. */
  readonly requestId?: string | undefined;
  /** The OpenTelemetry trace that the call is part of, 32 hexadecimal digits. */
  readonly traceId?: string | undefined;
  /** The source of the tool was never read, so it is not known whether the tool exists: the caller chose its name. */
  readonly isUnread?: true;
  /** The internal cause, only for the log. */
  readonly cause?: unknown;
}

export interface ToolLogEntry {
  /** Absent if the tool wrote the entry outside of a call. */
  readonly callId?: string;
  readonly tool: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: JsonObject;
  /** These are as in {@link CallRecord}; absent if the tool wrote the entry outside of a call. */
  readonly caller?: string | undefined;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
}

/** Receives calls, logs of tools and warnings. */
export interface Observer {
  onCall?(record: CallRecord): void;
  onToolLog?(entry: ToolLogEntry): void;
  /** Called for a tool of `tools` or `add` that can run but should be corrected. */
  onToolWarning?(warning: ToolWarning): void;
}
