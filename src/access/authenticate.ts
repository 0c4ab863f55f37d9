import { anonymous, type Caller } from "../core/caller.ts";
import { createKeys, type KeyOptions, sha256 } from "./keys.ts";
import type { MeterOf } from "./rate.ts";
import { unauthorized } from "./refused-credential.ts";
import { createTokens, type FindToken, type JwtOptions } from "./tokens.ts";

export interface AuthOptions {
  /** @default [] */
  readonly keys?: readonly KeyOptions[] | undefined;
  /** @default no tokens are accepted */
  readonly jwt?: JwtOptions | undefined;
}

export interface AccessOptions {
  /** Keys in plain text, which may use every tool. At least one; leave it out if anyone may call. @default none */
  readonly apiKeys?: readonly string[] | undefined;
  /** Keys by their hash, and tokens. If neither these nor `apiKeys` are set, anyone may call. @default {} */
  readonly auth?: AuthOptions | undefined;
  /** Called with errors that prevent the check of tokens. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/**
 * Finds the caller by the value of `Authorization`. Synchronous for a key and for a token that was checked recently.
 * @throws CallError `unauthorized`, also as a rejection
 */
export type Authenticate = (authorization: string | undefined) => Caller | Promise<Caller>;

/** The factories for keys and tokens. They may return existing objects. */
interface Makers {
  readonly meterOf?: MeterOf;
  readonly tokensOf: (jwt: JwtOptions, onFault?: (error: unknown) => void) => FindToken;
}

/** @throws Error if a key or the token settings are malformed */
export function createAuthenticate(
  { apiKeys = [], auth = {}, onFault }: AccessOptions,
  { meterOf, tokensOf }: Makers = { tokensOf: createTokens },
): Authenticate {
  const { keys = [], jwt } = auth;
  if (apiKeys.length === 0 && keys.length === 0 && jwt === undefined) return () => anonymous;
  const findKey = createKeys(apiKeys, keys, meterOf);
  const findToken = jwt === undefined ? undefined : tokensOf(jwt, onFault);
  const what = findToken === undefined ? "key" : "key or token";
  const known = (found: Caller | string): Caller => {
    if (typeof found === "string") throw unauthorized(what, found);
    return found;
  };
  return (authorization) => {
    const credential = readBearer(authorization);
    // Hashed and compared even without a credential: every refusal takes the same time.
    const digest = sha256(credential ?? "");
    const caller = findKey(digest);
    if (credential === undefined) throw unauthorized(what);
    // Keys first: a key may look like a token, but no token is a key.
    if (caller !== undefined) return caller;
    if (findToken === undefined || !isToken(credential)) throw unauthorized(what, "the key is unknown");
    const found = findToken(credential, digest);
    return found instanceof Promise ? found.then(known) : found;
  };
}

/** The credential of `Authorization: Bearer …`. */
export function readBearer(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
}

/** Whether it has the three parts of a signed JWT. */
function isToken(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential);
}
