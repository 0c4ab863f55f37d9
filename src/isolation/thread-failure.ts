import { type Action, CallError, type ErrorCode, errorCodes, type ErrorExtras } from "../core/errors.ts";
import { isJsonObject } from "../json/object.ts";

/** A CallError as data: an error of a class of its own does not survive the way between threads. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  /** Its extras, as JSON. */
  readonly extras: string;
  readonly cause?: Thrown;
}

/** What was thrown, in words, for the log. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: Thrown;
}

const maxMessageLength = 2000;
const maxStackLength = 8000;
const maxExtrasLength = 262_144;
const maxCauses = 5;

export function toFailure(error: CallError): Failure {
  const { code, message, extras, cause } = error;
  return {
    code,
    message,
    extras: JSON.stringify(extras),
    ...(cause !== undefined && { cause: describeThrown(cause) }),
  };
}

export function isFailure(value: unknown): value is Failure {
  if (!isJsonObject(value)) return false;
  const { code, message, extras, cause } = value;
  // Only an error of a call: a tool cannot say that the key was wrong.
  const isOfCall = typeof code === "string" && Object.hasOwn(errorCodes, code);
  if (!isOfCall || errorCodes[code as ErrorCode].status !== 200) return false;
  if (typeof message !== "string" || message.length > maxMessageLength * 4) return false;
  if (typeof extras !== "string" || extras.length > maxExtrasLength) return false;
  return cause === undefined || isThrown(cause);
}

/** @throws SyntaxError where the extras are no JSON */
export function fromFailure({ code, message, extras, cause }: Failure): CallError {
  return new CallError(code, message, pickExtras(JSON.parse(extras)), cause && fromThrown(cause));
}

/** Only what an error may hold, in the types it has: the object comes from where a tool's code runs. */
function pickExtras(extras: unknown): ErrorExtras {
  if (!isJsonObject(extras)) return {};
  const { action, retryable, ran, issues, details, retryAfterMs, upstream } = extras;
  return {
    ...(isAction(action) && { action }),
    ...(typeof retryable === "boolean" && { retryable }),
    ...((ran === "no" || ran === "unknown") && { ran }),
    ...(Array.isArray(issues) && { issues: issues.slice(0, 20) as NonNullable<ErrorExtras["issues"]> }),
    ...(details !== undefined && { details }),
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
    ...(isJsonObject(upstream) && { upstream: upstream as NonNullable<ErrorExtras["upstream"]> }),
  };
}

const actions: ReadonlySet<unknown> = new Set<Action>([
  "fix_arguments",
  "retry",
  "retry_later",
  "check_before_retry",
  "stop",
]);

function isAction(value: unknown): value is Action {
  return actions.has(value);
}

/** Anything that can be thrown, in bounded words. */
export function describeThrown(thrown: unknown, causes = 0): Thrown {
  if (thrown === null || (typeof thrown !== "object" && typeof thrown !== "function")) {
    return { name: "", message: String(thrown).slice(0, maxMessageLength), stack: "" };
  }
  try {
    const { name, message, stack, cause } = thrown as Partial<Record<keyof Error, unknown>>;
    return {
      name: textOf(name, "Error", 100),
      message: textOf(message, "something was thrown that is not an error", maxMessageLength),
      stack: textOf(stack, "", maxStackLength),
      ...(cause !== undefined && causes < maxCauses && { cause: describeThrown(cause, causes + 1) }),
    };
  } catch {
    return { name: "", message: "something was thrown that cannot be read", stack: "" };
  }
}

export function isThrown(value: unknown, causes = 0): value is Thrown {
  if (!isJsonObject(value) || causes > maxCauses) return false;
  const { name, message, stack, cause } = value;
  const isText = typeof name === "string" && typeof message === "string" && typeof stack === "string";
  return isText && (cause === undefined || isThrown(cause, causes + 1));
}

export function fromThrown({ name, message, stack, cause }: Thrown): Error {
  const error = new Error(message, cause && { cause: fromThrown(cause) });
  return Object.assign(error, { name, stack });
}

function textOf(value: unknown, otherwise: string, maxLength: number): string {
  return typeof value === "string" ? value.slice(0, maxLength) : otherwise;
}
