import { type AccessOptions, type Authenticate, createAuthenticate } from "./authenticate.ts";
import { createMeter, type TokenBucket } from "./rate.ts";
import { createTokens, type FindToken, type JwtOptions } from "./tokens.ts";

/** Decides who may call. Its counters and caches survive a change of the settings. */
export interface Access {
  readonly authenticate: Authenticate;
  /**
   * Replaces the keys and tokens. A key keeps the used part of its allowance, and checked tokens stay valid if their
   * settings are the same.
   * @throws Error if a key or the token settings are malformed; then nothing changes
   */
  configure(options: AccessOptions): void;
}

/** @throws Error if a key or the token settings are malformed */
export function createAccess(options: AccessOptions): Access {
  let meters = new Map<string, TokenBucket>();
  let tokens: { readonly key: string; readonly find: FindToken } | undefined;
  let authenticate = read(options);
  return {
    authenticate: (authorization) => authenticate(authorization),
    configure(next) {
      authenticate = read(next);
    },
  };

  function read(next: AccessOptions): Authenticate {
    // Includes keys that were removed: the key or its limit may return within the minute.
    const nextMeters = new Map([...meters].filter(([, meter]) => meter.used() > 0));
    let nextTokens = tokens;
    const result = createAuthenticate(next, {
      meterOf(id, callsPerMinute) {
        const meter = createMeter(callsPerMinute, meters.get(id));
        nextMeters.set(id, meter);
        return meter;
      },
      tokensOf(jwt, onFault) {
        const key = keyOf(jwt);
        if (nextTokens?.key !== key) nextTokens = { key, find: createTokens(jwt, onFault) };
        return nextTokens.find;
      },
    });
    meters = nextMeters;
    tokens = next.auth?.jwt === undefined ? undefined : nextTokens;
    return result;
  }
}

/** Equal for settings that accept the same tokens for the same callers. */
function keyOf({ issuer, audience, jwksUrl, toolsClaim, operatorClaim }: JwtOptions): string {
  return JSON.stringify([issuer, audience, jwksUrl, toolsClaim, operatorClaim]);
}
