import { isJsonObject } from "../json/object.ts";
import { type Issue, maxIssues } from "../schema/issues.ts";
import { type Action, CallError, type ErrorCode, errorCodes, type ErrorExtras } from "./errors.ts";

const actions: ReadonlySet<unknown> = new Set<Action>([
  "fix_arguments",
  "retry",
  "retry_later",
  "check_before_retry",
  "stop",
]);

/**
 * Reads an `error` object of a thread or of another Toolhost. Keeps only the fields of an error, and only if
 * they have the right type, because a tool's code may have written it.
 * @returns undefined if it has no known code, or no message
 */
export function readError(error: unknown): CallError | undefined {
  if (!isJsonObject(error)) return undefined;
  const { code, message } = error;
  if (typeof code !== "string" || !Object.hasOwn(errorCodes, code) || typeof message !== "string") return undefined;
  return new CallError(code as ErrorCode, message, readExtras(error));
}

/** The fields in addition to `code` and `message`. */
export function readExtras(error: unknown): ErrorExtras {
  if (!isJsonObject(error)) return {};
  const { action, retryable, ran, issues, suggestion, details, retryAfterMs, upstream } = error;
  return {
    ...(isAction(action) && { action }),
    ...(typeof retryable === "boolean" && { retryable }),
    ...((ran === "no" || ran === "unknown") && { ran }),
    ...(Array.isArray(issues) && { issues: issues.filter(isIssue).slice(0, maxIssues) }),
    ...(typeof suggestion === "string" && { suggestion }),
    ...(details !== undefined && { details }),
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
    ...(isUpstream(upstream) && { upstream }),
  };
}

function isAction(value: unknown): value is Action {
  return actions.has(value);
}

function isIssue(value: unknown): value is Issue {
  if (!isJsonObject(value)) return false;
  const { path, message, keyword, suggestion } = value;
  const isText = [path, message, keyword].every((each) => typeof each === "string");
  return isText && (suggestion === undefined || typeof suggestion === "string");
}

function isUpstream(value: unknown): value is NonNullable<ErrorExtras["upstream"]> {
  return isJsonObject(value) && (value["status"] === undefined || typeof value["status"] === "number");
}
