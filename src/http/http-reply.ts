import { validateHeaderName, validateHeaderValue } from "node:http";
import { RefusedCredential } from "../access/refused-credential.ts";
import { type CallError, requestStatus } from "../errors/errors.ts";
import { failedOutcome } from "../core/outcome.ts";

/** An answer before it is written to a socket or made a `Response`. */
export interface HttpReply {
  readonly status: number;
  /** Names in lower case. The guard adds headers, so it must be a new object for each reply. */
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

export function jsonReply(body: unknown, headers?: Record<string, string>, status = 200): HttpReply {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/**
 * A reply as a `Response`, for Hono and its adapter.
 * @throws Error if node:http could not send it. The adapter's `Response` would fail later, when no other answer is
 * possible
 */
export function toResponse({ body, status, headers }: HttpReply): Response {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new RangeError("The status is not 200 to 599.");
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return new Response(body, { status, headers });
}

/** The answer to a request that made no call. */
export function errorReply(error: CallError, headers?: Record<string, string>): HttpReply {
  const status = requestStatus(error.code);
  const reply = jsonReply(failedOutcome(error), headers, status);
  reply.headers["toolhost-outcome"] = error.code;
  if (error.code === "unauthorized") reply.headers["www-authenticate"] = challengeOf(error);
  const wait = retryAfter(status, error.extras.retryAfterMs);
  if (wait !== undefined) reply.headers["retry-after"] = wait;
  return reply;
}

/** RFC 6750, section 3: the answer to a request without a credential has no error code. */
function challengeOf({ cause }: CallError): string {
  return cause instanceof RefusedCredential
    ? 'Bearer realm="toolhost", error="invalid_token"'
    : 'Bearer realm="toolhost"';
}

/** The `Retry-After` of an answer that asks for a retry, in whole seconds (RFC 9110, section 10.2.3). */
export function retryAfter(status: number, retryAfterMs = 1000): string | undefined {
  if (status !== 409 && status !== 429 && status !== 503) return undefined;
  return String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}
