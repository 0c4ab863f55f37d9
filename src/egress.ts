import { UpstreamError } from "./core/errors.ts";

/**
 * `context.fetch`: the global fetch, which is undici's. A network fault rejects with an UpstreamError that says whether
 * anything can have happened; an aborted signal rejects with its own reason, as fetch does.
 */
export const outboundFetch: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init);
  } catch (error) {
    if (init?.signal?.aborted === true || !(error instanceof TypeError) || error.cause === undefined) throw error;
    const code = codeOf(error.cause);
    // Without a code it never left: a URL that is none, a body that cannot be sent. A fault of the tool.
    if (code === undefined || code.startsWith("ERR_INVALID_")) throw error;
    throw toUpstreamError(error, code);
  }
};

/** Faults before the request was sent: nothing can have happened. */
const unsent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function toUpstreamError(error: TypeError, code: string): UpstreamError {
  const ran = unsent.has(code) ? "no" : "unknown";
  return new UpstreamError(`The service behind the tool could not be reached (${code}).`, { ran, cause: error });
}

function codeOf(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null) return undefined;
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  // Several addresses were tried: the first fault speaks for all.
  return "errors" in cause && Array.isArray(cause.errors) ? codeOf(cause.errors[0]) : undefined;
}
