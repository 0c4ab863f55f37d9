import { RefusedCredential } from "../../access/refused-credential.ts";
import type { IncomingMessage } from "node:http";
import type { Access } from "../../access/access.ts";
import { type AccessOptions, createAuthenticate } from "../../access/authenticate.ts";
import { type PublicUrl, readPublicUrl } from "../../access/public-url.ts";
import { callerName, anonymous, type Caller } from "../../core/caller.ts";
import { CallError } from "../../errors/errors.ts";
import { hostNameOf } from "../../net/host-name.ts";
import { type CorsHeaders, createOrigins } from "./cors.ts";
import { type Exchange, header } from "../exchange.ts";
import { notFound } from "../no-route.ts";
import type { Audience } from "../route.ts";
import { createHostRule, type Hosts } from "./hosts.ts";

export interface GuardOptions extends AccessOptions {
  /** The result of `createAccess`, in place of `apiKeys` and `auth`, if it must outlive this app. */
  readonly access?: Access | undefined;
  /** The allowed Host names. `loopback` protects a service on a loopback address from DNS rebinding. @default "any" */
  readonly hosts?: Hosts;
  /** Origins, other than its own, whose pages may call. @default [] */
  readonly origins?: readonly string[];
  /**
   * The URL that clients use, such as `https://tools.example/api` behind a proxy that removes `/api`, or with the
   * path at which another app has mounted this one. `/openapi.json` names it as the server, its host is allowed, and
   * its origin counts as the service's own. @default the request's scheme and Host, if `hosts` restricts them
   */
  readonly publicUrl?: string | undefined;
}

/** Checks every request before its route gets it. */
export interface Guard {
  /**
   * Checks the headers, Host and Origin, and the credential that the audience requires.
   * @returns the caller; a promise only if a token must be checked first
   * @throws CallError `headers_too_large`, `bad_request`, `forbidden`, `unauthorized`, `not_found`; the last two also
   * as a rejection
   */
  admit(exchange: Exchange, audience: Audience): Caller | Promise<Caller>;
  /** Adds the headers that let a page of an allowed origin read the answer, even a refusal. */
  addCorsHeaders(exchange: Exchange, headers: Record<string, string>): void;
}

const maxHeaders = 100;
const maxHeaderBytes = 16_384;
/** `: ` and the end of the line. */
const separators = 4;
const slash = 47;

/**
 * @param corsHeaders the headers that pages of allowed origins may send and read, in addition to those of every route
 * @throws Error if a key, a host, an origin or the public URL is malformed
 */
export function createGuard(options: GuardOptions, corsHeaders: CorsHeaders): Guard {
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const answersTo = createHostRule(withPublic(options.hosts ?? "any", publicUrl));
  const origins = createOrigins(options.origins ?? [], corsHeaders, publicUrl?.origin);
  const authenticate = options.access?.authenticate ?? createAuthenticate(options);
  // Nearly every request names the same host.
  let lastHost: string | undefined;
  const checkHost = (host: string): void => {
    if (host === lastHost) return;
    if (hostNameOf(host) === undefined) throw new CallError("bad_request", "The request's Host is malformed.");
    lastHost = host;
  };
  const checkRequest = (exchange: Exchange, incoming: IncomingMessage): void => {
    const { host, path } = exchange;
    checkHeaders(incoming.rawHeaders);
    if (!host && incoming.httpVersion !== "1.0") throw new CallError("bad_request", "The request has no Host.");
    if (host) checkHost(host);
    if (path.charCodeAt(0) !== slash) checkTarget(exchange);
    if (path.includes("/.") || path.includes("%2")) refuseDotSegments(path);
  };
  return {
    admit(exchange, audience) {
      if (exchange.incoming !== undefined) checkRequest(exchange, exchange.incoming);
      if (audience !== "anyHost" && !answersTo(exchange.host)) throw hostNotAnswered();
      if (!origins.admits(exchange)) throw originNotAllowed();
      if (audience === "callers") return authenticate(header(exchange, "authorization"));
      if (audience === "anyone" || audience === "anyHost") return anonymous;
      if (typeof audience === "function") return audience(header(exchange, "authorization"));
      const caller = authenticate(header(exchange, "authorization"));
      return caller instanceof Promise ? caller.then(operatorOnly) : operatorOnly(caller);
    },
    addCorsHeaders: origins.addHeaders,
  };
}

/** For other callers the path does not exist. */
function operatorOnly(caller: Caller): Caller {
  if (caller.isOperator === true) return caller;
  throw notFound(new RefusedCredential(`the caller "${callerName(caller)}" is not an operator`));
}

function hostNotAnswered(): CallError {
  return new CallError(
    "forbidden",
    'This Host name is not allowed. An operator can add it to "hosts", or set publicUrl.',
  );
}

function originNotAllowed(): CallError {
  return new CallError(
    "forbidden",
    'Pages of this origin may not call the service. An operator can add it to "origins".',
  );
}

function withPublic(hosts: Hosts, publicUrl: PublicUrl | undefined): Hosts {
  if (hosts === "any" || publicUrl === undefined) return hosts;
  return [...(typeof hosts === "string" ? [hosts] : hosts), publicUrl.hostName];
}

/**
 * Node keeps the first of two Host headers and joins other repeated headers. It must be unambiguous which one counts.
 */
function checkHeaders(rawHeaders: readonly string[]): void {
  if (rawHeaders.length > maxHeaders * 2) {
    throw new CallError("headers_too_large", `The request has over ${maxHeaders} headers.`);
  }
  let bytes = 0;
  let hosts = 0;
  let authorizations = 0;
  let contentTypes = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    bytes += name.length + rawHeaders[index + 1]!.length + separators;
    if (name.length === 4 && isNamed(name, "Host", "host")) hosts++;
    else if (name.length === 12 && isNamed(name, "Content-Type", "content-type")) contentTypes++;
    else if (name.length === 13 && isNamed(name, "Authorization", "authorization")) authorizations++;
  }
  // Node's own count excludes separators.
  if (bytes > maxHeaderBytes) {
    throw headersTooLarge();
  }
  if (hosts > 1) throw new CallError("bad_request", "The request has two Host headers.");
  if (authorizations > 1) throw new CallError("bad_request", "The request has two Authorization headers.");
  if (contentTypes > 1) throw new CallError("bad_request", "The request has two Content-Type headers.");
}

/** The error for headers over the limit in bytes, whether the guard or Node's parser finds it. */
export function headersTooLarge(): CallError {
  return new CallError("headers_too_large", `The headers are larger than ${maxHeaderBytes / 1024} KiB.`);
}

/** Whether a header has this name, in any spelling. The usual spellings are compared first. */
function isNamed(name: string, usual: string, lower: string): boolean {
  return name === lower || name === usual || name.toLowerCase() === lower;
}

/** The router resolves such segments, and a proxy in front may not: they would see different paths. */
function refuseDotSegments(path: string): void {
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) {
    throw new CallError("bad_request", "The request's path contains a segment . or ..");
  }
}

/**
 * A target that names a host itself (`GET http://host/…`) replaces the Host header (RFC 9112, 3.2.2). If they differ,
 * some proxies use one and some the other.
 */
function checkTarget({ path, host }: Exchange): void {
  if (path === "*") return;
  const authority = /^https?:\/\/([^/]*)/i.exec(path)?.[1];
  const name = authority === undefined ? undefined : hostNameOf(authority);
  if (name === undefined) throw new CallError("bad_request", "The request's target is malformed.");
  if (host && name !== hostNameOf(host)) {
    throw new CallError("bad_request", "The host in the request's target differs from its Host header.");
  }
}
