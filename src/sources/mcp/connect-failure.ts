import { SourceError } from "../../core/source.ts";
import { CallError, UpstreamError } from "../../errors/errors.ts";
import { McpError } from "./requests.ts";
import { toWords } from "./result.ts";

/** Why a server cannot be read, in words for operators. What they must not see stays the cause. */
export function connectFailure(error: unknown, secrets: readonly string[]): unknown {
  if (error instanceof SourceError) return error;
  const reason = reasonOf(error, secrets);
  return reason === undefined ? error : new SourceError(reason, { cause: error });
}

function reasonOf(error: unknown, secrets: readonly string[]): string | undefined {
  // The client wraps what broke its first request.
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SourceError || cause instanceof CallError || cause instanceof UpstreamError) {
      return cause.message;
    }
    // The client's own error of an answer with an error has its code.
    if (cause instanceof McpError || isProtocolError(cause))
      return `it answered with the error ${cause.code}: ${toWords(cause.message, secrets)}`;
    const { status } = cause as Error & { readonly status?: unknown };
    if (typeof status === "number") return `it answered with the HTTP status ${status}`;
  }
  if (!(error instanceof Error)) return undefined;
  const { code } = error as Error & { readonly code?: unknown };
  return typeof code === "string" ? (words[code] ?? "the handshake failed: the server does not speak MCP") : undefined;
}

/** The client's own error for the `error` of an answer. Its class is loaded late, with the client. */
export function isProtocolError(error: unknown): error is Error & { readonly code: number } {
  return error instanceof Error && "code" in error && typeof error.code === "number" && error.name === "ProtocolError";
}

/** By the code of the client's own errors. */
const words: Readonly<Record<string, string>> = {
  REQUEST_TIMEOUT: "it did not answer in time",
  CONNECTION_CLOSED: "it closed the connection",
};
