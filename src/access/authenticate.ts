import { anonymous, type Caller } from "../core/caller.ts";
import { CallError } from "../errors/errors.ts";
import { createKeys, type KeyOptions, sha256 } from "./keys.ts";
import type { MeterOf } from "./rate.ts";
import { RefusedCredential } from "./refused-credential.ts";
import { createTokens, type FindToken, type JwtOptions } from "./tokens.ts";

export interface AuthOptions {
  /** @default [] */
  readonly keys?: readonly KeyOptions[] | undefined;
  /** @default no tokens are taken */
  readonly jwt?: JwtOptions | undefined;
}

export interface AccessOptions {
  /** Keys in plain, which may use every tool. @default [] */
  readonly apiKeys?: readonly string[] | undefined;
  /** Keys by their hash, and tokens. Where neither these nor `apiKeys` are set, anyone may call. @default {} */
  readonly auth?: AuthOptions | undefined;
  /** Told of what keeps tokens from being checked. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/**
 * Who calls, by the value of `Authorization`. At once for a key and for a token that was checked of late.
 * @throws CallError `unauthorized`, also as a rejection
 */
export type Authenticate = (authorization: string | undefined) => Caller | Promise<Caller>;

/** What is made for keys and tokens. It may be what was made before. */
interface Makers {
  readonly meterOf?: MeterOf;
  readonly tokensOf: (jwt: JwtOptions, onFault?: (error: unknown) => void) => FindToken;
}

/** @throws Error where a key or the set-up of tokens is malformed */
export function createAuthenticate(
  { apiKeys = [], auth = {}, onFault }: AccessOptions,
  { meterOf, tokensOf }: Makers = { tokensOf: createTokens },
): Authenticate {
  const { keys = [], jwt } = auth;
  if (apiKeys.length === 0 && keys.length === 0 && jwt === undefined) return () => anonymous;
  const findKey = createKeys(apiKeys, keys, meterOf);
  const findToken = jwt === undefined ? undefined : tokensOf(jwt, onFault);
  const what = findToken === undefined ? "key" : "key or token";
  const unauthorized = (reason?: string): CallError => {
    const cause = reason === undefined ? undefined : new RefusedCredential(reason);
    return new CallError("unauthorized", `A ${what} is needed: send it as Authorization: Bearer <${what}>.`, {}, cause);
  };
  const known = (found: Caller | string): Caller => {
    if (typeof found === "string") throw unauthorized(found);
    return found;
  };
  return (authorization) => {
    const credential = readBearer(authorization);
    // Hashed and compared even where there is none: every refusal takes the same time.
    const digest = sha256(credential ?? "");
    const caller = findKey(digest);
    if (credential === undefined) throw unauthorized();
    // Keys first: one may look like a token, and no token is a key.
    if (caller !== undefined) return caller;
    if (findToken === undefined || !isToken(credential)) throw unauthorized("the key is unknown");
    const found = findToken(credential, digest);
    return found instanceof Promise ? found.then(known) : found;
  };
}

function readBearer(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
}

/** Whether it has the three parts of a signed JWT. */
function isToken(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential);
}
