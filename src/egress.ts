import { UpstreamError } from "./core/errors.ts";

type Undici = typeof import("undici");

let undici: Promise<Undici> | undefined;

/**
 * `context.fetch`: undici's fetch, loaded when a tool first goes out. A network fault rejects with an UpstreamError that
 * says whether anything can have happened; an aborted signal rejects with its own reason, as fetch does.
 */
export const outboundFetch: typeof fetch = async (input, init) => {
  undici ??= import("undici");
  // The global fetch is undici's too, of the version that Node brings: the types differ, the objects do not.
  const { fetch } = (await undici) as unknown as { fetch: typeof globalThis.fetch };
  try {
    return await fetch(input, init);
  } catch (error) {
    if (init?.signal?.aborted === true || !(error instanceof TypeError) || error.cause === undefined) throw error;
    throw toUpstreamError(error);
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

function toUpstreamError(error: TypeError): UpstreamError {
  const code = codeOf(error.cause);
  const ran = code !== undefined && unsent.has(code) ? "no" : "unknown";
  const said = code === undefined ? "" : ` (${code})`;
  return new UpstreamError(`The service behind the tool could not be reached${said}.`, { ran, cause: error });
}

function codeOf(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null) return undefined;
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  // Several addresses were tried: the first fault speaks for all.
  return "errors" in cause && Array.isArray(cause.errors) ? codeOf(cause.errors[0]) : undefined;
}
