import type { JWTPayload } from "jose";
import type { Caller } from "../core/caller.ts";
import { now } from "../async/deadline.ts";
import { CallError } from "../errors/errors.ts";
import { createKeysFetch, KeysUnavailable, retryPauseMs } from "./issuer-keys.ts";
import { createRights } from "./rights.ts";

/** Whose tokens (JWT, RFC 7519) open the service. */
export interface JwtOptions {
  /** What `iss` must be. */
  readonly issuer: string;
  /** What `aud` must be or hold: one of these. */
  readonly audience: string | readonly string[];
  /** Where the issuer's public keys are. No header of a token leads anywhere else. */
  readonly jwksUrl: string;
  /** The claim that holds patterns of tools: an array, or a string with spaces between. @default every tool */
  readonly toolsClaim?: string | undefined;
  /** The claim that makes the caller an operator where it is `true`. @default none is */
  readonly operatorClaim?: string | undefined;
  /** What fetches the keys. @default the global fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** @returns the caller, or why the token opens nothing, for the log. @throws CallError where that cannot be told now */
export type FindToken = (token: string, sha256: string) => Caller | Promise<Caller | string>;

/** @returns the claims, or why they are not to be trusted */
type Verify = (token: string) => Promise<JWTPayload | string>;

/** Signed with a private key: with a shared secret, the issuer's public key would be a secret that all know. */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
/** How far an issuer's clock may be ahead. `exp` is taken at its word. */
const clockToleranceSeconds = 30;
/** Checking a signature costs more than a call: a token that was good is good for this long, or until its `exp`. */
const keepMs = 60_000;
const maxKept = 1000;

/** @throws TypeError where `jwksUrl` is no URL */
export function createTokens(options: JwtOptions, onFault?: (error: unknown) => void): FindToken {
  const verify = createVerify(options, onFault);
  // By hash: what is kept must not be what opens the service.
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
    if (claims.exp === undefined) return "the claim exp is missing";
    const leftMs = claims.exp * 1000 - Date.now();
    if (leftMs <= 0) return expired;
    const caller = createCaller(claims, options);
    if (typeof caller === "string") return caller;
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value ?? "");
    kept.set(sha256, { caller, until: now() + Math.min(leftMs, keepMs) });
    return caller;
  }
}

/** jose is loaded by the first token. */
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
      // An attempt that failed was told of already. Anything else comes from a key that the issuer should not have:
      // strangers can ask for it as often as they like, and must not fill the log.
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

/** By jose's codes. The token's own words stay out. */
function reasonOf({ code, claim, reason }: { code: string; claim?: string; reason?: string }): string {
  if (code === "ERR_JWT_EXPIRED") return expired;
  if (code === "ERR_JWT_CLAIM_VALIDATION_FAILED") {
    return `the claim ${claim} is ${reason === "missing" ? "missing" : "not accepted"}`;
  }
  return (
    {
      ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "the signature is wrong",
      ERR_JWKS_NO_MATCHING_KEY: "the issuer has no such key",
      ERR_JOSE_ALG_NOT_ALLOWED: "the algorithm is not accepted",
    }[code] ?? "the token is malformed"
  );
}

/** @returns the caller, or what is wrong with the claims */
function createCaller(claims: JWTPayload, { issuer, toolsClaim, operatorClaim }: JwtOptions): Caller | string {
  const { sub } = claims;
  // It stands in logs, and is whose jobs and replays are whose: it is taken as it is or not at all, for what is cut or
  // cleaned could be another's. OpenID Connect allows 255 characters.
  if (typeof sub !== "string" || !/^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u.test(sub)) return "the claim sub is not accepted";
  const id = `${issuer} ${sub}`;
  const isOperator =
    operatorClaim !== undefined && Object.hasOwn(claims, operatorClaim) && claims[operatorClaim] === true;
  const caller = isOperator ? { id, isOperator, claims } : { id, claims };
  if (toolsClaim === undefined) return caller;
  const tools = readPatterns(Object.hasOwn(claims, toolsClaim) ? claims[toolsClaim] : undefined);
  return tools === undefined
    ? "the tools claim is missing or malformed"
    : { ...caller, rights: createRights({ tools }) };
}

function readPatterns(claim: unknown): string[] | undefined {
  if (typeof claim === "string") return claim.split(" ").filter(Boolean);
  return Array.isArray(claim) && claim.every((item) => typeof item === "string") ? claim : undefined;
}

/**
 * 401, as there is no code for it: 503 `overloaded` would say that the service is too busy, and its own health is not
 * in question. `retryable` keeps clients from throwing a good token away.
 */
function cannotCheck(): CallError {
  return new CallError("unauthorized", "The token cannot be checked now. Nothing ran; call again in a moment.", {
    retryable: true,
    action: "retry_later",
    retryAfterMs: retryPauseMs,
  });
}
