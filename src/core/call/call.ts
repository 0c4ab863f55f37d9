import type { Context } from "@opentelemetry/api";
import type { JsonObject } from "../../json/object.ts";
import type { Caller } from "../caller.ts";
import type { Repair } from "../../schema/repair.ts";
import type { LogLevel } from "../../tool/log-level.ts";
import type { Progress } from "../../tool/progress.ts";

/** A call as a door hands it in. */
export interface Call {
  readonly name: string;
  /** The call's id, if what hands it in has made one: 1 to 128 letters, digits, `-` and `_`. @default a new one */
  readonly callId?: string | undefined;
  /** Handed to the tool as they are. */
  readonly arguments: unknown;
  /** Who calls. @default anonymous, who may use every tool */
  readonly caller?: Caller | undefined;
  /** What the model calls it, for spans. */
  readonly modelCallId?: string | undefined;
  /** Of the request that the call came by, for logs. */
  readonly requestId?: string | undefined;
  /** Shortens the tool's time limit; a longer one is cut to it. */
  readonly timeoutMs?: number | undefined;
  /** Mend arguments that fail their check. @default as the tool's settings say, else false */
  readonly repair?: boolean | undefined;
  /** What the door has mended in the arguments already. It stands before the call's own repairs. */
  readonly repairs?: readonly Repair[] | undefined;
  /** Refuse to run another declaration than the one with this hash. */
  readonly hash?: string | undefined;
  /** The names that may be called; to this call there are no others. @default all */
  readonly only?: ReadonlySet<string> | undefined;
  /** The caller's `Toolhost-Session`. */
  readonly session?: string | undefined;
  /** Wait for a slot of a busy tool as long as the time limit allows. @default false */
  readonly patient?: boolean | undefined;
  readonly cancellation?: Cancellation | undefined;
  readonly listener?: Listener | undefined;
  /** The trace that the call is part of. */
  readonly parent?: Context | undefined;
}

/** Lets a caller take back a call, at the cost of one object: an AbortSignal costs more than the rest of a call. */
export interface Cancellation {
  cancelled: boolean;
  /**
   * What there is to be stopped, while there is. An object and not a closure of its own for each call: with those V8
   * keeps what every call leaves behind until the next full collection, a twentieth of its cost.
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

/** What a caller hears of a call while it runs. */
export interface Listener {
  onProgress?(progress: Progress): void;
  onLog?(level: LogLevel, message: string, fields?: JsonObject): void;
}
