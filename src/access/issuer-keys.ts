import type { FetchImplementation } from "jose";
import { now } from "../async/deadline.ts";

/** Neither new keys nor keys of late are to be had. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** How long nobody asks again after a failure: many requests at an issuer that is down are one attempt. */
export const retryPauseMs = 2000;
/** How long the last keys serve while no new ones can be had. Most tokens have run out by then. */
const keepMs = 3_600_000;

/**
 * What jose fetches a token issuer's keys with. jose sees to it that many requests are one fetch and that an unknown
 * key does not ask again for 30 s, but only where the last fetch went well; what is missing for one that fails is here.
 * @param onFault told of each attempt that failed
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

/** @throws Error where the answer holds no keys: a page of a proxy must not take the place of good ones */
async function readKeys(response: Response): Promise<string> {
  if (response.status !== 200) throw new Error(`the answer has the status ${response.status}`);
  const text = await response.text();
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && "keys" in value && Array.isArray(value.keys)) return text;
  throw new Error("the answer is not a JSON Web Key Set");
}
