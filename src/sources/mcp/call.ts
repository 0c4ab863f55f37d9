import { SourceError } from "../../core/source.ts";
import type { SourceContext } from "../../core/source-context.ts";
import { type ParameterHeader, writeParameterHeaders } from "../../dialects/mcp/parameter-headers.ts";
import { CallError, UpstreamError } from "../../errors/errors.ts";
import type { JsonObject } from "../../json/object.ts";
import { TokenError } from "../credentials/oauth.ts";
import type { Connection } from "./connection.ts";
import { statusFailure } from "./http/status-failure.ts";
import { McpError } from "./requests.ts";
import { readResult, refused, toWords } from "./result.ts";

/** The tool of a server that a call is for. */
export interface CalledTool {
  /** Its name on the server. */
  readonly name: string;
  readonly headers: readonly ParameterHeader[];
}

/**
 * Calls a tool of a server. What the server cannot do is told by `connection.fail`.
 * @param secrets are masked in what the server says
 * @throws CallError or UpstreamError; the reason of the signal
 */
export async function callTool(
  connection: Connection,
  { name, headers }: CalledTool,
  args: JsonObject,
  context: SourceContext,
  secrets: readonly string[],
): Promise<unknown> {
  const { signal, progress, trace } = context;
  let result: unknown;
  try {
    result = await connection.requests.send(
      "tools/call",
      { name, arguments: args },
      {
        signal,
        // It is read as any tool's progress is.
        onProgress: progress as unknown as (params: JsonObject) => void,
        ...(trace !== undefined && { meta: { ...trace } }),
        ...(headers.length > 0 && { headers: writeParameterHeaders(headers, args) }),
      },
    );
  } catch (error) {
    if (signal.aborted) throw error;
    throw toFailure(error, connection, secrets);
  }
  return readResult(result, secrets);
}

function toFailure(error: unknown, connection: Connection, secrets: readonly string[]): Error {
  if (error instanceof CallError) return error;
  if (error instanceof UpstreamError) {
    if (isUnreachable(error)) connection.suspend("it cannot be reached");
    return error;
  }
  if (error instanceof McpError) {
    const words = toWords(error.message, secrets);
    return refused(`The MCP server answered with the error ${error.code}${words === "" ? "." : `: ${words}`}`);
  }
  if (error instanceof SourceError) {
    return new UpstreamError(`The connection to the MCP server ended during the call: ${error.message}.`);
  }
  const status = statusOf(error);
  // The client's own errors quote what the server answered, and the log contains causes.
  const cause = new Error(error instanceof Error ? toWords(error.message, secrets) : "not an Error");
  if (status === undefined) {
    return new UpstreamError("The answer of the MCP server is incomplete, or is not an MCP message.", { cause });
  }
  if (connection.hasLostSession(status)) {
    connection.fail("it ended the session");
    const message = "The MCP server ended the session. Nothing ran; call again later.";
    return new CallError("unavailable", message, { retryAfterMs: 1000 }, cause);
  }
  return statusFailure(status, { cause });
}

/** Nothing was received, so nothing will be until the server is there again. */
function isUnreachable(error: UpstreamError): boolean {
  return error.ran === "no" && error.status === undefined && !(error instanceof TokenError);
}

/** The HTTP status in an error of the client. */
export function statusOf(error: unknown): number | undefined {
  const status: unknown = error instanceof Error && "status" in error ? error.status : undefined;
  return typeof status === "number" && status >= 300 && status <= 599 ? status : undefined;
}
