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
  if (error instanceof McpError) return `it answered with the error ${error.code}: ${toWords(error.message)}`;
  // A header that cannot be sent; the message does not quote its value.
  if (error instanceof CallError || error instanceof UpstreamError || error instanceof TypeError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const { status, code } = error as Error & { readonly status?: unknown; readonly code?: unknown };
  if (typeof status === "number") return `it answered with the HTTP status ${status}`;
  return typeof code === "string" ? (words[code] ?? "the handshake failed: it does not speak MCP") : undefined;
}

/** By the code of the client's own errors. */
const words: Readonly<Record<string, string>> = {
  REQUEST_TIMEOUT: "it did not answer in time",
  CONNECTION_CLOSED: "it closed the connection",
  UNAUTHORIZED: "it wants credentials, or refuses those that it got",
};
