import { NotJson, TooLong, writeJson, type WrittenJson } from "../../json/write.ts";
import { CallError } from "../../errors/errors.ts";

/**
 * Writes a tool's return value as JSON.
 * @param takenBytes how much of `maxBytes` another part of the result has taken
 * @throws CallError `invalid_result` with the place of what is not JSON, or `result_too_large`
 */
export function toResultJson(result: unknown, maxBytes: number, takenBytes = 0): WrittenJson {
  try {
    // A tool that returns nothing has returned null.
    return writeJson(result === undefined ? null : result, maxBytes - takenBytes);
  } catch (error) {
    throw error instanceof TooLong ? tooLarge(maxBytes) : notJson(error);
  }
}

function notJson(error: unknown): CallError {
  const { path, message } =
    error instanceof NotJson ? error : { path: "", message: "contains a getter or a toJSON that throws" };
  return new CallError(
    "invalid_result",
    `The tool returned something that is not JSON: ${path || "the result"} ${message}. This is a fault of the tool; other arguments may avoid it.`,
    { issues: [{ path, message, keyword: "json" }] },
    error,
  );
}

function tooLarge(maxBytes: number): CallError {
  return new CallError(
    "result_too_large",
    `The result is larger than the ${maxBytes} bytes that this tool may return. Ask for less.`,
  );
}
