import { isJsonObject } from "../../json/object.ts";
import { now } from "../../async/deadline.ts";
import { untilAborted } from "../../async/until-aborted.ts";
import { UpstreamError } from "../../errors/errors.ts";
import { encodeText } from "../request/encode.ts";
import { readRetryAfter } from "./retry-after.ts";

/** OAuth 2 client credentials (RFC 6749, section 4.4). */
export interface OAuthSettings {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes?: readonly string[];
  readonly audience?: string;
  /** How the client authenticates (RFC 6749, section 2.3.1): with a header, or in the form. @default "basic" */
  readonly clientAuth?: "basic" | "post";
}

/** No token could be had: it says nothing about the service behind the tool. */
export class TokenError extends UpstreamError {}

/** The access token of a source, by client credentials: one token request, however many calls wait for it. */
export interface AccessTokens {
  /**
   * A token that has not expired. A call that leaves does not end the request, which others wait for.
   * @throws UpstreamError, or the reason of the signal
   */
  readonly get: (signal: AbortSignal) => Promise<string>;
  /** The API refused this token: the next `get` asks for another. */
  readonly refuse: (token: string) => void;
}

interface Token {
  readonly text: string;
  /** When another is asked for, and when it is of no more use: times of the clock in milliseconds. */
  readonly refreshAt: number;
  readonly expiresAt: number;
}

const tokenTimeoutMs = 10_000;
/** A token is renewed this long before it expires, or after four fifths of a shorter life. */
const marginMs = 60_000;

/** @param clock milliseconds that never go back */
export function createAccessTokens(settings: OAuthSettings, fetch: typeof globalThis.fetch, clock = now): AccessTokens {
  const init = tokenRequest(settings);
  let token: Token | undefined;
  let pending: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const askedAt = clock();
    try {
      const { text, lifetimeMs } = await requestToken(settings.tokenUrl, init, fetch);
      token = {
        text,
        refreshAt: askedAt + Math.max(lifetimeMs - marginMs, lifetimeMs * 0.8),
        expiresAt: askedAt + lifetimeMs,
      };
      return text;
    } catch (error) {
      // The one before may still be used for a while.
      if (token !== undefined && clock() < token.expiresAt) return token.text;
      throw error;
    } finally {
      pending = undefined;
    }
  }

  return {
    get(signal) {
      if (token !== undefined && clock() < token.refreshAt) return Promise.resolve(token.text);
      return untilAborted((pending ??= renew()), signal);
    },
    refuse(refused) {
      if (token?.text === refused) token = undefined;
    },
  };
}

/** The client authenticates as RFC 6749, section 2.3.1 says. */
function tokenRequest({ clientId, clientSecret, scopes = [], audience, clientAuth }: OAuthSettings): RequestInit {
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  if (audience !== undefined) form.set("audience", audience);
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  if (clientAuth === "post") {
    form.set("client_id", clientId);
    form.set("client_secret", clientSecret);
  } else {
    const pair = `${encodeText(clientId)}:${encodeText(clientSecret)}`;
    headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
  }
  return { method: "POST", headers, body: form.toString(), redirect: "manual" };
}

async function requestToken(
  url: string,
  init: RequestInit,
  fetch: typeof globalThis.fetch,
): Promise<{ readonly text: string; readonly lifetimeMs: number }> {
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(tokenTimeoutMs) });
    answer = JSON.parse(await response.text());
  } catch (cause) {
    // A status is enough; what the endpoint wrote may quote the request.
    if (response! === undefined) throw failure("could not be reached", {}, cause);
    answer = undefined;
  }
  if (!response.ok) {
    const retryAfterMs = readRetryAfter(response);
    const { status } = response;
    // A redirect is not followed: the secret goes to the token endpoint alone.
    const options = { ...(status >= 400 && { status }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
    throw failure(`answered with status ${status}`, status < 400 ? { status: 400 } : options);
  }
  const { access_token: text, token_type: type, expires_in: seconds } = isJsonObject(answer) ? answer : {};
  const isUsable = typeof text === "string" && /^[\x21-\x7e]+$/.test(text);
  const isBearer = type === undefined || (typeof type === "string" && type.toLowerCase() === "bearer");
  if (!isUsable || !isBearer) throw failure("did not answer with a bearer token");
  const lifetime = seconds == null ? Infinity : Number(seconds);
  // One that has expired already serves the calls that wait for it.
  return { text, lifetimeMs: lifetime >= 0 ? lifetime * 1000 : 0 };
}

function failure(
  what: string,
  options: { readonly status?: number; readonly retryAfterMs?: number } = {},
  cause?: unknown,
): TokenError {
  return new TokenError(
    `The token endpoint of the service behind the tool ${what}. This is a fault of the operator's credentials or of the endpoint, not of the arguments.`,
    { ...options, ran: "no", cause },
  );
}
