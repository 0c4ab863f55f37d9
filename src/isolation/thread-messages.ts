import type { MessagePort } from "node:worker_threads";
import { isLogLevel, type LogLevel } from "../tool/log-level.ts";
import type { Progress } from "../tool/progress.ts";
import type { EgressOptions } from "../egress/rules.ts";
import type { JsonObject } from "../json/object.ts";
import { isThrown, type Thrown } from "../errors/thrown.ts";
import { type Failure, isFailure } from "./thread-failure.ts";

/** The settings with which a thread boots. */
export interface ThreadSettings {
  /** The required name of the module's tool. */
  readonly name: string;
  /** URL of the module that exports `tool`. */
  readonly module: string;
  /** Whether running the tool twice is harmless. */
  readonly repeatable: boolean;
  readonly resultBytes: number;
  /** What `context.fetch` may reach, as plain data. */
  readonly egress: EgressOptions;
}

/** The `workerData` of the thread's entry. */
export interface ThreadData extends ThreadSettings {
  readonly port: MessagePort;
}

/** A call that is sent to a thread. */
export interface CallMessage {
  /**
   * Number of the call in its thread, which distinguishes late messages of a former call from those of the current one.
   */
  readonly id: number;
  readonly args: JsonObject;
  readonly callId: string;
  readonly session?: string;
}

/** A message from a thread. Values that a tool made are sent as JSON text, which is limited before it is sent. */
export type ThreadMessage =
  | { readonly kind: "ready" }
  /** The tool does not load, or has broken its thread: the thread ends. */
  | { readonly kind: "unusable"; readonly cause: Thrown }
  | EndMessage
  | { readonly kind: "progress"; readonly id: number; readonly progress: Progress }
  | LogMessage
  | { readonly kind: "output"; readonly level: LogLevel; readonly text: string };

/** The outcome of a call. */
export type EndMessage = (
  | { readonly kind: "result"; readonly text: string }
  | { readonly kind: "failure"; readonly failure: Failure }
) & {
  readonly id: number;
  /** The tool changed built-ins of its thread: no other call should run there. */
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

/** Maximum length of a line of log or output that is sent, in UTF-16 units. */
export const maxLineLength = 8192;
/** Maximum size of the fields of a log line, in bytes of JSON. */
export const maxFieldsBytes = 65_536;

/** @returns the message, or undefined if it is not one: the code of a tool may send anything */
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
      // Its fields are checked when they are passed on.
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
