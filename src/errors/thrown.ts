import { isJsonObject } from "../json/object.ts";

/** What was thrown, in words, for the log. */
export interface Thrown {
  /** The error's `name`. Absent if it is not an error. */
  readonly type?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: Thrown;
}

const maxTypeLength = 100;
const maxMessageLength = 2000;
const maxStackLength = 8000;
const maxCauses = 5;

/**
 * Describes whatever was thrown, in bounded text. Other fields of an error are left out: tools throw their arguments,
 * and HTTP clients put whole requests on their errors, keys included. An `UpstreamError` with a status has no stack.
 * Never throws.
 */
export function describeThrown(thrown: unknown, causes = 0): Thrown {
  if (thrown === null || (typeof thrown !== "object" && typeof thrown !== "function")) {
    return { message: String(thrown).slice(0, maxMessageLength) };
  }
  try {
    const { name, message, stack, cause, status } = thrown as Partial<Record<keyof Error | "status", unknown>>;
    // A service that answers with an error is no fault of this code.
    const isAnswer = name === "UpstreamError" && typeof status === "number";
    return {
      ...(typeof name === "string" && { type: name.slice(0, maxTypeLength) }),
      message:
        typeof message === "string" ? message.slice(0, maxMessageLength) : "a value was thrown that is not an error",
      ...(typeof stack === "string" && !isAnswer && { stack: stack.slice(0, maxStackLength) }),
      ...(cause !== undefined && causes < maxCauses && { cause: describeThrown(cause, causes + 1) }),
    };
  } catch {
    return { message: "a value was thrown that cannot be read" };
  }
}

/** Whether a value from elsewhere, such as a thread, is what {@link describeThrown} makes. */
export function isThrown(value: unknown, causes = 0): value is Thrown {
  if (!isJsonObject(value) || causes > maxCauses) return false;
  const { type, message, stack, cause } = value;
  const isText =
    typeof message === "string" && [type, stack].every((each) => each === undefined || typeof each === "string");
  return isText && (cause === undefined || isThrown(cause, causes + 1));
}

/** An error with the name and message of one that was thrown elsewhere. */
export function fromThrown({ type = "Error", message, stack = "", cause }: Thrown): Error {
  const error = new Error(message, cause && { cause: fromThrown(cause) });
  return Object.assign(error, { name: type, stack });
}
