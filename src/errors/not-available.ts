import { CallError } from "./errors.ts";

/**
 * The error for a tool that exists and cannot run, however often it is called.
 * @param reason completes "The tool cannot run: …"
 * @param cause for the log
 */
export function notAvailable(reason: string, cause?: unknown): CallError {
  const message = `The tool cannot run: ${reason}. Only the operator can change that.`;
  return new CallError("unavailable", message, { action: "stop", retryable: false }, cause);
}
