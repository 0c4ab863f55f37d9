import { UpstreamError } from "../src/errors/errors.ts";

const maxBodyBytes = 4 * 1024 * 1024;

/**
 * The body of an answer as text, whatever its status.
 * @throws UpstreamError where the body is cut off or too long
 */
export async function readBody(response: Response, service: string, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > maxBodyBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    // The call's own end is not the service's fault.
    if (signal.aborted) throw cause;
    throw new UpstreamError(`The ${service} did not send a complete answer. Try again.`, {
      cause,
    });
  }
  if (bytes > maxBodyBytes) throw malformedAnswer(response, service);
  // Not fatal: an error page in another encoding must not hide its status.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** @throws UpstreamError where the text is not a JSON object, such as an HTML page under status 200 */
export function parseObject(text: string, response: Response, service: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformedAnswer(response, service, cause);
  }
  if (!isObject(value)) throw malformedAnswer(response, service);
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error for an answer that came whole but is not what the service's documentation promises. */
export function malformedAnswer(response: Response, service: string, cause?: unknown): UpstreamError {
  return new UpstreamError(
    `The ${service} sent an answer that cannot be used; it may be overloaded. Try again later, or go on without it.`,
    { status: response.status, cause },
  );
}

/** The error for an answer with an error status. Nothing of its body is repeated. */
export function failedAnswer(response: Response, message: string): UpstreamError {
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"));
  return new UpstreamError(message, {
    status: response.status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ran: response.status < 500 ? "no" : "unknown",
  });
}

/** Retry-After in milliseconds: whole seconds or an HTTP date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string | null): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse takes far more than an HTTP date, "-5" among it.
  if (!/^[A-Za-z]{3,9},? .*\d{4}/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
