import { SourceError } from "../../core/source.ts";
import { CallError, UpstreamError } from "../../errors/errors.ts";
import { McpError } from "./requests.ts";
import { toWords } from "./result.ts";

/** Why a server cannot be read, in words for operators. What they must not see stays the cause. */
export function connectFailure(error: unknown): unknown {
  if (error instanceof SourceError) return error;
  const reason = reasonOf(error);
  return reason === undefined ? error : new SourceError(reason, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  // The client wraps what broke its first request.
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SourceError || cause instanceof CallError || cause instanceof UpstreamError) {
      return cause.message;
    }
    if (cause instanceof McpError) return `it answered with the error ${cause.code}: ${toWords(cause.message)}`;
    const { status } = cause as Error & { readonly status?: unknown };
    if (typeof status === "number") return `it answered with the HTTP status ${status}`;
  }
  if (!(error instanceof Error)) return undefined;
  const { code } = error as Error & { readonly code?: unknown };
  return typeof code === "string" ? (words[code] ?? "the handshake failed: it does not speak MCP") : undefined;
}

/** By the code of the client's own errors. */
const words: Readonly<Record<string, string>> = {
  REQUEST_TIMEOUT: "it did not answer in time",
  CONNECTION_CLOSED: "it closed the connection",
};
