import { readExtras } from "../errors/error-json.ts";
import { CallError, type ErrorCode, errorCodes } from "../errors/errors.ts";
import { describeThrown, fromThrown, isThrown, type Thrown } from "../errors/thrown.ts";
import { isJsonObject } from "../json/object.ts";

/** A CallError as data: a class of its own does not survive the transfer between threads. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  /** Its extra fields, as JSON. */
  readonly extras: string;
  readonly cause?: Thrown;
}

const maxMessageLength = 8000;
const maxExtrasLength = 262_144;

/** Converts an error for the transfer to another thread. */
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
  // Only error codes of a call: a tool cannot report that the key was wrong.
  const isOfCall = typeof code === "string" && Object.hasOwn(errorCodes, code);
  if (!isOfCall || errorCodes[code as ErrorCode].status !== 200) return false;
  if (typeof message !== "string" || message.length > maxMessageLength) return false;
  if (typeof extras !== "string" || extras.length > maxExtrasLength) return false;
  return cause === undefined || isThrown(cause);
}

/** @throws SyntaxError if the extras are not JSON */
export function fromFailure({ code, message, extras, cause }: Failure): CallError {
  return new CallError(code, message, readExtras(JSON.parse(extras)), cause && fromThrown(cause));
}
