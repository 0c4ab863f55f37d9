import type { JWTPayload } from "jose";
import type { Caller } from "../core/caller.ts";
import { now } from "../async/deadline.ts";
import { CallError } from "../errors/errors.ts";
import { createKeysFetch, KeysUnavailable, retryPauseMs } from "./issuer-keys.ts";
import { createRights } from "./rights.ts";

/** The issuer whose tokens (JWT, RFC 7519) are accepted. */
export interface JwtOptions {
  /** The required value of `iss`. */
  readonly issuer: string;
  /** `aud` must be or contain one of these. */
  readonly audience: string | readonly string[];
  /** The address of the issuer's public keys. Headers of a token cannot change it. */
  readonly jwksUrl: string;
  /** The claim that contains patterns of tools: an array, or a string separated by spaces. @default every tool */
  readonly toolsClaim?: string | undefined;
  /** The claim that makes the caller an operator if it is `true`. @default no caller is an operator */
  readonly operatorClaim?: string | undefined;
  /** The function that fetches the keys. @default the global fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * @returns the caller, or the reason why the token is refused, for the log.
 * @throws CallError if it cannot be checked now
 */
export type FindToken = (token: string, sha256: string) => Caller | Promise<Caller | string>;

/** @returns the claims, or the reason why they are not trusted */
type Verify = (token: string) => Promise<JWTPayload | string>;

/** Asymmetric only: with a shared secret, the issuer's public key would serve as the secret, and everybody knows it. */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
/** How far an issuer's clock may be ahead. `exp` gets no tolerance. */
const clockToleranceSeconds = 30;
/** Checking a signature costs more than a call: a valid token is cached for this long, or until its `exp`. */
const keepMs = 60_000;
const maxKept = 1000;

/** @throws TypeError if `jwksUrl` is not a URL */
export function createTokens(options: JwtOptions, onFault?: (error: unknown) => void): FindToken {
  const verify = createVerify(options, onFault);
  // By hash: the cache must not contain credentials.
  const kept = new Map<string, { readonly caller: Caller; readonly until: number }>();
  const checking = new Map<string, Promise<Caller | string>>();
  return (token, sha256) => {
    const known = kept.get(sha256);
    if (known !== undefined) {
      if (now() < known.until) return known.caller;
      kept.delete(sha256);
    }
    let check = checking.get(sha256);
    if (check === undefined) {
      check = checkToken(token, sha256).finally(() => checking.delete(sha256));
      checking.set(sha256, check);
    }
    return check;
  };

  async function checkToken(token: string, sha256: string): Promise<Caller | string> {
    const claims = await verify(token);
    if (typeof claims === "string") return claims;
    if (claims.exp === undefined) return 'the claim "exp" is missing';
    const leftMs = claims.exp * 1000 - Date.now();
    if (leftMs <= 0) return expired;
    const caller = createCaller(claims, options);
    if (typeof caller === "string") return caller;
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value ?? "");
    kept.set(sha256, { caller, until: now() + Math.min(leftMs, keepMs) });
    return caller;
  }
}

/** The first token loads jose. */
function createVerify(
  { issuer, audience, jwksUrl, fetch = globalThis.fetch }: JwtOptions,
  onFault: ((error: unknown) => void) | undefined,
): Verify {
  const url = new URL(jwksUrl);
  let loading: Promise<Verify> | undefined;
  let reportedAt = -Infinity;
  return async (token) => {
    loading ??= load();
    try {
      return await (
        await loading
      )(token);
    } catch (error) {
      // A failed attempt was reported already. Any other error is about a key that the issuer should not have: an
      // untrusted caller can cause it as often as it likes, and must not fill the log.
      if (!(error instanceof KeysUnavailable) && now() - reportedAt >= retryPauseMs) {
        reportedAt = now();
        onFault?.(error);
      }
      throw cannotCheck();
    }
  };

  async function load(): Promise<Verify> {
    const { createRemoteJWKSet, customFetch, errors, jwtVerify } = await import("jose");
    const keys = createRemoteJWKSet(url, { [customFetch]: createKeysFetch(fetch, onFault) });
    const rules = {
      algorithms,
      issuer,
      audience: typeof audience === "string" ? audience : [...audience],
      requiredClaims: ["exp", "sub"],
      clockTolerance: clockToleranceSeconds,
    };
    return async (token) => {
      try {
        return (await jwtVerify(token, keys, rules)).payload;
      } catch (error) {
        const isOfToken = error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid);
        if (isOfToken) return reasonOf(error);
        throw error;
      }
    };
  }
}

const expired = "the token has expired";

/** By jose's codes, without text from the token. */
function reasonOf({ code, claim, reason }: { code: string; claim?: string; reason?: string }): string {
  if (code === "ERR_JWT_EXPIRED") return expired;
  if (code === "ERR_JWT_CLAIM_VALIDATION_FAILED") {
    return reason === "missing"
      ? `the claim "${claim}" is missing`
      : `the value of the claim "${claim}" is not accepted`;
  }
  return (
    {
      ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "the signature is wrong",
      ERR_JWKS_NO_MATCHING_KEY: "the issuer's published keys do not include the key of the signature",
      ERR_JOSE_ALG_NOT_ALLOWED: "the algorithm is not accepted",
    }[code] ?? "the token is malformed"
  );
}

/** @returns the caller, or the reason why its claims are refused */
function createCaller(claims: JWTPayload, { issuer, toolsClaim, operatorClaim }: JwtOptions): Caller | string {
  const { sub } = claims;
  // The id appears in logs and separates the jobs and replays of callers. It is accepted unchanged or refused, because
  // a truncated or cleaned id could equal another caller's. OpenID Connect allows 255 characters.
  if (typeof sub !== "string" || !/^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u.test(sub))
    return 'the value of the claim "sub" is not accepted';
  const id = `${issuer} ${sub}`;
  const isOperator =
    operatorClaim !== undefined && Object.hasOwn(claims, operatorClaim) && claims[operatorClaim] === true;
  const caller = isOperator ? { id, isOperator, claims } : { id, claims };
  if (toolsClaim === undefined) return caller;
  const tools = readPatterns(Object.hasOwn(claims, toolsClaim) ? claims[toolsClaim] : undefined);
  return tools === undefined
    ? "the claim with the tools is missing or malformed"
    : { ...caller, rights: createRights({ tools }) };
}

function readPatterns(claim: unknown): string[] | undefined {
  if (typeof claim === "string") return claim.split(" ").filter(Boolean);
  return Array.isArray(claim) && claim.every((item) => typeof item === "string") ? claim : undefined;
}

/**
 * 401, because no code fits better: 503 `overloaded` would mean that the service is too busy, but its own health is not
 * affected. `retryable` keeps clients from discarding a valid token.
 */
function cannotCheck(): CallError {
  return new CallError("unauthorized", "The token cannot be checked now. Nothing ran; call again in a moment.", {
    retryable: true,
    action: "retry_later",
    retryAfterMs: retryPauseMs,
  });
}
