import { type AccessOptions, type Authenticate, createAuthenticate } from "./authenticate.ts";
import { createMeter, type TokenBucket } from "./rate.ts";
import { createTokens, type FindToken, type JwtOptions } from "./tokens.ts";

/** Who may call. What it counts and remembers outlives a change of who may. */
export interface Access {
  readonly authenticate: Authenticate;
  /**
   * Puts other keys and tokens in place of those before. A key keeps what it has used of its allowance, and tokens that
   * were checked stay checked where their settings are the same.
   * @throws Error where a key or the set-up of tokens is malformed; all stays as it was
   */
  configure(options: AccessOptions): void;
}

/** @throws Error where a key or the set-up of tokens is malformed */
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
    // Of a key that is gone too: it may come back, or its limit may, before the minute is over.
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

/** Equal for settings that take the same tokens for the same callers. */
function keyOf({ issuer, audience, jwksUrl, toolsClaim, operatorClaim }: JwtOptions): string {
  return JSON.stringify([issuer, audience, jwksUrl, toolsClaim, operatorClaim]);
}
