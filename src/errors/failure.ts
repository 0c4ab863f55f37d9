import { CallError, type ErrorBody, type ErrorExtras, errorCodes } from "./errors.ts";
import { writeJson } from "../json/write.ts";
import { repairValue, markRepaired } from "../json/well-formed.ts";

const maxMessageLength = 2000;
const maxDetailsBytes = 65_536;

/**
 * Whether the identical call may be sent again. `safe`: only if the tool may be run twice, because it is idempotent or
 * readOnly.
 */
export function isRetryable({ code, extras }: CallError, safe: boolean): boolean {
  const { retryable } = errorCodes[code];
  return extras.retryable ?? (retryable === "safe" ? safe : retryable);
}

/** The `error` object of a failure. `safe`: only if the tool may be run twice, because it is idempotent or readOnly. */
export function toErrorBody(error: CallError, safe = false): ErrorBody {
  const { action, ...row } = errorCodes[error.code];
  const repeatable = isRetryable(error, safe);
  const body: ErrorBody = {
    code: error.code,
    message: error.message,
    action: repeatable && action === "check_before_retry" ? "retry" : action,
    retryable: repeatable,
    ...("ran" in row && { ran: row.ran }),
    ...error.extras,
  };
  const mended = repairValue(body);
  return mended === body ? body : markRepaired(mended);
}

/** The only place that converts what a tool threw, which may be anything, to a CallError. */
export function toCallError(thrown: unknown, safe: boolean): CallError {
  if (isCallError(thrown)) return thrown;
  switch (read(thrown, "name")) {
    case "ToolError":
      return fromToolError(thrown);
    case "UpstreamError":
      return fromUpstreamError(thrown, safe);
    default:
      return new CallError(
        "tool_failed",
        "The tool failed with an internal error. Other arguments may work; the same call will likely fail again.",
        {},
        thrown,
      );
  }
}

function isCallError(thrown: unknown): thrown is CallError {
  try {
    return thrown instanceof CallError;
  } catch {
    return false; // A proxy that was revoked, or whose traps throw.
  }
}

/** Whether its message was written for the model, which gets it. */
export function isToolError(thrown: unknown): boolean {
  return read(thrown, "name") === "ToolError";
}

function fromToolError(thrown: unknown): CallError {
  const retryable = read(thrown, "retryable") === true;
  const details = toDetails(read(thrown, "details"));
  return new CallError(
    "tool_failed",
    messageOf(thrown, "The tool failed."),
    { retryable, action: retryable ? "retry" : "stop", ...(details !== undefined && { details }) },
    thrown,
  );
}

function fromUpstreamError(thrown: unknown, safe: boolean): CallError {
  const status = read(thrown, "status");
  const asked = read(thrown, "retryAfterMs");
  const retryAfterMs = typeof asked === "number" && asked >= 0 && asked < Infinity ? Math.ceil(asked) : undefined;
  const known = Number.isInteger(status) ? (status as number) : undefined;
  const transient = known === undefined || known === 408 || known === 429 || known >= 500;
  const refused = known !== undefined && known >= 400 && known < 500 && known !== 408;
  const ran = refused || read(thrown, "ran") === "no" ? "no" : "unknown";
  const retryable = transient && safe;
  const later = retryAfterMs !== undefined || known === 429 || known === 503;
  const retry = later ? "retry_later" : "retry";
  const details = toDetails(read(thrown, "details"));
  const extras: ErrorExtras = {
    retryable,
    ran,
    // What may pass, such as a 429, is worth another look, though nobody sends the same call again by itself.
    action: retryable ? retry : (ran === "unknown" || transient) && !safe ? "check_before_retry" : "stop",
    ...(known !== undefined && { upstream: { status: known } }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(details !== undefined && { details }),
  };
  return new CallError("upstream_failed", messageOf(thrown, "The service behind the tool failed."), extras, thrown);
}

/** A property of a foreign value, whose getter may throw. */
function read(thrown: unknown, key: string): unknown {
  try {
    return (thrown as Record<string, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}

function messageOf(thrown: unknown, otherwise: string): string {
  const message = read(thrown, "message");
  return typeof message === "string" && message !== "" ? message.slice(0, maxMessageLength) : otherwise;
}

function toDetails(details: unknown): unknown {
  if (details === undefined) return undefined;
  try {
    return writeJson(details, maxDetailsBytes).value;
  } catch {
    return undefined;
  }
}
