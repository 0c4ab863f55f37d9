import { randomUUID } from "node:crypto";
import { isOperatorKey, type KeyOptions, sha256 } from "../access/keys.ts";
import type { JwtOptions } from "../access/tokens.ts";
import type { AccessOptions } from "../access/authenticate.ts";
import type { Config, ToolConfig } from "../config/config.ts";
import type { ToolWarning } from "../core/observer.ts";
import { isLoopback } from "../net/loopback.ts";
import { createOutboundFetch } from "../egress/fetch.ts";
import type { AppOptions } from "../http/app.ts";
import type { ToolOverride } from "../tool/overrides.ts";
import { forwardedHeadersOf } from "./configured-sources.ts";

/** Who may call. The issuer's keys are fetched by a separate fetch, so that tools cannot reach that address. */
export function accessOf({ apiKeys, auth: { keys, jwt } }: Config, onFault: (error: unknown) => void): AccessOptions {
  if (jwt === undefined) return { apiKeys, auth: { keys }, onFault };
  const fetch = createOutboundFetch({ origins: [new URL(jwt.jwksUrl).origin] });
  return { apiKeys, auth: { keys, jwt: { ...jwt, fetch } }, onFault };
}

/**
 * Who may call while the tools of the next configuration are loaded: keys and tokens that both configurations accept,
 * with the current rights. Rights that the next configuration removes end at once, unless a key also gains something.
 * Rights that it adds begin only together with its overrides, which may bind the arguments of a tool.
 */
export function accessInBoth(config: Config, next: Config, onFault: (error: unknown) => void): AccessOptions {
  if (!asksForKeys(config)) return accessOf(next, onFault);
  const plain = new Set(next.apiKeys);
  const hashed = new Map(next.auth.keys.map((key) => [key.sha256, key]));
  const keysInBoth = (key: KeyOptions): KeyOptions[] => {
    if (next.apiKeys.some((each) => sha256(each) === key.sha256)) return [key];
    const later = hashed.get(key.sha256);
    return later === undefined ? [] : [isNarrower(key, later) ? later : key];
  };
  const both = {
    ...config,
    apiKeys: config.apiKeys.filter((key) => plain.has(key)),
    auth: {
      // A key in plain text may use every tool, so any limit makes it narrower.
      keys: [
        ...config.auth.keys.flatMap(keysInBoth),
        ...config.apiKeys.filter((key) => !plain.has(key)).flatMap((key) => hashed.get(sha256(key)) ?? []),
      ],
      jwt: isSameIssuer(config.auth.jwt, next.auth.jwt) ? config.auth.jwt : undefined,
    },
  };
  // Without any key, everyone could call. No caller has this key.
  return accessOf(asksForKeys(both) ? both : { ...both, apiKeys: [randomUUID()] }, onFault);
}

/** Whether a key loses rights and gains none. */
function isNarrower(before: KeyOptions, next: KeyOptions): boolean {
  const old = before.tools;
  const areKnown = old === undefined || old.includes("*") || next.tools?.every((pattern) => old.includes(pattern));
  return (
    areKnown === true &&
    (before.readOnly !== true || next.readOnly === true) &&
    (isOperatorKey(before) || !isOperatorKey(next))
  );
}

function isSameIssuer(before: JwtOptions | undefined, next: JwtOptions | undefined): boolean {
  return (["issuer", "audience", "jwksUrl"] as const).every((name) => String(before?.[name]) === String(next?.[name]));
}

function asksForKeys({ apiKeys, auth }: Pick<Config, "apiKeys" | "auth">): boolean {
  return apiKeys.length > 0 || auth.keys.length > 0 || auth.jwt !== undefined;
}

/** The options of an app that change with the configuration: allowed host names and origins, and its limits. */
export function appSettingsOf(config: Config): Partial<AppOptions> {
  const { host, origins, hosts, unixSocket, publicUrl, limits, sources, auth } = config;
  const isLocal = unixSocket === undefined && isLoopback(host);
  return {
    hosts: isLocal ? ["loopback", ...hosts] : hosts.length > 0 ? hosts : "any",
    origins,
    publicUrl,
    tokenIssuer: auth.jwt?.issuer,
    maxBodyBytes: limits.bodyBytes,
    maxReplyBytes: limits.replyBytes,
    maxBytesInFlight: limits.bytesInFlight,
    forwardedHeaders: forwardedHeadersOf(sources),
  };
}

/** Whether other machines can call without a key. */
export function isOpenToAll({ host, unixSocket, apiKeys, auth }: Config): boolean {
  const isReachable = unixSocket === undefined && !isLoopback(host);
  return isReachable && apiKeys.length === 0 && auth.keys.length === 0 && auth.jwt === undefined;
}

/** The overrides that bind an argument to a claim although no caller can have one, each with the warning. */
export function warningsOfClaims({ overrides, auth }: ToolConfig): ToolWarning[] {
  if (auth.jwt !== undefined) return [];
  const bindsClaim = ({ bind = {} }: ToolOverride): boolean =>
    Object.values(bind).some((to) => to !== null && "claim" in to);
  const names = Object.keys(overrides).filter((key) => bindsClaim(overrides[key]!));
  return names.map((name) => ({ name, message: claimWithoutTokens }));
}

const claimWithoutTokens =
  '"overrides" binds an argument to a claim, but auth.jwt is not set, so no caller can use the tool';
