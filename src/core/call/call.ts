import type { Context } from "@opentelemetry/api";
import type { JsonObject } from "../../json/object.ts";
import type { Caller, Names } from "../caller.ts";
import type { Repair } from "../../schema/repair.ts";
import type { LogLevel } from "../../tool/log-level.ts";
import type { Progress } from "../../tool/progress.ts";

/** A call as a door passes it on. */
export interface Call {
  readonly name: string;
  /** The call's id, if the door has created one: 1 to 128 letters, digits, `-` and `_`. @default a new one */
  readonly callId?: string | undefined;
  /** Passed to the tool unchanged. */
  readonly arguments: unknown;
  /** The caller. @default anonymous, who may use every tool */
  readonly caller?: Caller | undefined;
  /** The model's id of the call, for spans. */
  readonly modelCallId?: string | undefined;
  /** The id of the HTTP request that contained the call, for logs. */
  readonly requestId?: string | undefined;
  /** Shortens the tool's time limit, in milliseconds; a longer one is reduced to it. */
  readonly timeoutMs?: number | undefined;
  /** Repair arguments that fail their check. @default the tool's setting, otherwise false */
  readonly repair?: boolean | undefined;
  /** Repairs that the door has already made in the arguments. They precede the call's own repairs. */
  readonly repairs?: readonly Repair[] | undefined;
  /** Refuse to run a declaration with any hash other than this one. */
  readonly hash?: string | undefined;
  /** The names that may be called; for this call no others exist. @default all */
  readonly only?: Names | undefined;
  /** The caller's `Toolhost-Session`. */
  readonly session?: string | undefined;
  /** Headers of the request that some source forwards, by name in lower case; no others. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Wait for a slot of a busy tool as long as the time limit allows. @default false */
  readonly patient?: boolean | undefined;
  readonly cancellation?: Cancellation | undefined;
  readonly listener?: Listener | undefined;
  /** The trace that the call is part of. */
  readonly parent?: Context | undefined;
}

/** Lets a caller cancel a call, at the cost of one object: an AbortSignal costs more than the rest of a call. */
export interface Cancellation {
  cancelled: boolean;
  /**
   * The call to stop, while it runs. An object and not a closure per call: with closures V8 keeps what every call
   * leaves behind until the next full collection, a twentieth of its cost.
   */
  target?: Cancellable | undefined;
}

export interface Cancellable {
  cancel(): void;
}

export function cancel(cancellation: Cancellation): void {
  if (cancellation.cancelled) return;
  cancellation.cancelled = true;
  cancellation.target?.cancel();
}

/** The events of a call for its caller while it runs. */
export interface Listener {
  onProgress?(progress: Progress): void;
  onLog?(level: LogLevel, message: string, fields?: JsonObject): void;
}
