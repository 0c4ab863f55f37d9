import { UpstreamError } from "../../../errors/errors.ts";

/** The failure of a call that a server answered with a status which is not a success. */
export function statusFailure(
  status: number,
  { retryAfterMs, cause }: { readonly retryAfterMs?: number; readonly cause?: unknown },
): UpstreamError {
  const message = `The MCP server answered with the HTTP status ${status}. ${advice(status)}`;
  return new UpstreamError(message, {
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(cause !== undefined && { cause }),
  });
}

function advice(status: number): string {
  if (status === 401 || status === 403) return "The operator's credentials may not allow this.";
  if (status === 429) return "It receives too many requests at the moment.";
  return "This is a fault of the server, probably not of the arguments.";
}
