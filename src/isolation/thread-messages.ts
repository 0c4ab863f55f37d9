import type { MessagePort } from "node:worker_threads";
import { isLogLevel, type LogLevel } from "../tool/log-level.ts";
import type { Progress } from "../tool/progress.ts";
import type { EgressOptions } from "../egress/rules.ts";
import type { JsonObject } from "../json/object.ts";
import { isThrown, type Thrown } from "../errors/thrown.ts";
import { type Failure, isFailure } from "./thread-failure.ts";

/** What a thread is told when it boots. */
export interface ThreadSettings {
  /** The name that the module's tool must have. */
  readonly name: string;
  /** URL of the module that exports `tool`. */
  readonly module: string;
  /** Running the tool twice does no harm. */
  readonly repeatable: boolean;
  readonly resultBytes: number;
  /** What `context.fetch` may reach, as plain data. */
  readonly egress: EgressOptions;
}

/** What the thread's entry finds in `workerData`. */
export interface ThreadData extends ThreadSettings {
  readonly port: MessagePort;
}

/** A call on its way to a thread. */
export interface CallMessage {
  /** Counts the calls of a thread, so that what a former call still says is told from the present one. */
  readonly id: number;
  readonly args: JsonObject;
  readonly callId: string;
  readonly session?: string;
}

/** What a thread says. Values that a tool made cross as JSON text, which is bounded before it is sent. */
export type ThreadMessage =
  | { readonly kind: "ready" }
  /** The tool does not load, or has broken its thread: it ends. */
  | { readonly kind: "unusable"; readonly cause: Thrown }
  | EndMessage
  | { readonly kind: "progress"; readonly id: number; readonly progress: Progress }
  | LogMessage
  | { readonly kind: "output"; readonly level: LogLevel; readonly text: string };

/** What came of a call. */
export type EndMessage = (
  | { readonly kind: "result"; readonly text: string }
  | { readonly kind: "failure"; readonly failure: Failure }
) & {
  readonly id: number;
  /** The tool changed what its thread is built on: no other call should run there. */
  readonly isSpoiled?: boolean;
};

interface LogMessage {
  readonly kind: "log";
  readonly id: number;
  readonly level: LogLevel;
  readonly text: string;
  /** An object, as JSON. */
  readonly fields?: string;
}

/** The longest line of log or output that crosses, in UTF-16 units. */
export const maxLineLength = 8192;
/** The most that the fields of a log line may hold, in bytes of JSON. */
export const maxFieldsBytes = 65_536;

/** @returns the message, or undefined where this is none: the code of a tool may send anything */
export function readThreadMessage(posted: unknown): ThreadMessage | undefined {
  if (typeof posted !== "object" || posted === null) return undefined;
  const message = posted as Partial<Record<string, unknown>>;
  return isThreadMessage(message) ? (message as unknown as ThreadMessage) : undefined;
}

function isThreadMessage({ kind, id, ...rest }: Partial<Record<string, unknown>>): boolean {
  switch (kind) {
    case "ready":
      return true;
    case "unusable":
      return isThrown(rest["cause"]);
    case "output":
      return isLine(rest);
    case "log":
      return typeof id === "number" && isLine(rest) && (rest["fields"] === undefined || isFields(rest["fields"]));
    case "result":
      return typeof id === "number" && typeof rest["text"] === "string";
    case "failure":
      return typeof id === "number" && isFailure(rest["failure"]);
    case "progress":
      // Its fields are looked at where they are passed on.
      return typeof id === "number" && typeof rest["progress"] === "object" && rest["progress"] !== null;
    default:
      return false;
  }
}

function isLine({ level, text }: Partial<Record<string, unknown>>): boolean {
  return isLogLevel(level) && typeof text === "string" && text.length <= maxLineLength;
}

function isFields(fields: unknown): boolean {
  return typeof fields === "string" && fields.length <= maxFieldsBytes;
}
