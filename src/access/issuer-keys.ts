import type { FetchImplementation } from "jose";
import { now } from "../async/deadline.ts";

/** Neither new keys nor recently fetched ones are available. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** How long no request is made after a failure: many requests while an issuer is down are one attempt. */
export const retryPauseMs = 2000;
/** How long the last keys are used while no new ones are available. Most tokens have expired by then. */
const keepMs = 3_600_000;

/**
 * The fetch with which jose loads a token issuer's keys. jose joins concurrent requests to one fetch and does not
 * repeat the fetch for an unknown key for 30 s, but only after a successful fetch; this adds the same for a failed one.
 * @param onFault called for each failed attempt
 */
export function createKeysFetch(
  fetch: typeof globalThis.fetch,
  onFault: ((error: unknown) => void) | undefined,
): FetchImplementation {
  let last: { readonly text: string; readonly at: number } | undefined;
  let failedAt = -Infinity;
  return async (url, init) => {
    if (now() - failedAt >= retryPauseMs) {
      try {
        const text = await readKeys(await fetch(url, init));
        last = { text, at: now() };
        return new Response(text);
      } catch (cause) {
        failedAt = now();
        onFault?.(new Error("the keys that verify tokens cannot be loaded from auth.jwt.jwksUrl", { cause }));
      }
    }
    if (last !== undefined && now() - last.at < keepMs) return new Response(last.text);
    throw new KeysUnavailable();
  };
}

/** @throws Error if the response contains no keys: a proxy's error page must not replace good keys */
async function readKeys(response: Response): Promise<string> {
  if (response.status !== 200) throw new Error(`the answer has the status ${response.status}`);
  const text = await response.text();
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && "keys" in value && Array.isArray(value.keys)) return text;
  throw new Error("the answer is not a JSON Web Key Set");
}
