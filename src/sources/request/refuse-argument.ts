import { CallError } from "../../errors/errors.ts";

/** An argument that fits its schema and cannot be part of the request. `message` completes "the value at `path` …". */
export function refuseArgument(path: string, message: string): CallError {
  return new CallError(
    "invalid_arguments",
    `The arguments cannot be written as the request of this tool: ${path || "together they"} ${message}. Correct them and call again.`,
    { issues: [{ path, message, keyword: "request" }] },
  );
}
