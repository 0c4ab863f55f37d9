import type { Access } from "../../access/access.ts";
import { type AccessOptions, createAuthenticate } from "../../access/authenticate.ts";
import { type PublicUrl, readPublicUrl } from "../../access/public-url.ts";
import type { Caller } from "../../core/caller.ts";
import { CallError } from "../../core/errors.ts";
import { hostNameOf } from "../../net/host-name.ts";
import { createOrigins } from "./cors.ts";
import { type Exchange, header } from "../exchange.ts";
import { createHostRule, type Hosts } from "./hosts.ts";

export interface GuardOptions extends AccessOptions {
  /** Who may call, made by `createAccess`, in place of `apiKeys` and `auth`. For what outlives this app. */
  readonly access?: Access | undefined;
  /** Host names it answers to. `loopback` is what a loopback address needs against DNS rebinding. @default "any" */
  readonly hosts?: Hosts;
  /** Origins, other than its own, whose pages may call. @default [] */
  readonly origins?: readonly string[];
  /**
   * Where clients find the service, such as `https://tools.example/api` behind a proxy that takes `/api` off, or where
   * another app has mounted it. The documents of `/openapi.json` name it as the server, its host is answered, and its origin
   * is the service's own. @default what the request says, if `hosts` restricts that
   */
  readonly publicUrl?: string | undefined;
}

/** Looks at every request before its route does. Each check holds those above it, but for `checkRequest`. */
export interface Guard {
  /** @throws CallError `headers_too_large`, `bad_request`: what no route takes */
  checkRequest(exchange: Exchange): void;
  /** For health, which answers to any Host. @throws CallError `forbidden` */
  checkOrigin(exchange: Exchange): void;
  /** For what needs no key and is no health: OPTIONS. @throws CallError `forbidden` */
  checkPlace(exchange: Exchange): void;
  /**
   * For everything else.
   * @returns the caller; a promise only where a token has to be checked first
   * @throws CallError `forbidden`, `unauthorized`, the latter also as a rejection
   */
  checkCaller(exchange: Exchange): Caller | Promise<Caller>;
  /** What a browser must be told with any answer, refusals included, so that a page of an allowed origin can read it. */
  addCorsHeaders(exchange: Exchange, headers: Record<string, string>): void;
}

const maxHeaders = 100;
const maxHeaderBytes = 16_384;
/** `: ` and the end of the line. */
const separators = 4;
const slash = 47;

/** @throws Error if a key, a host, an origin or the public URL is malformed */
export function createGuard(options: GuardOptions): Guard {
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const answersTo = createHostRule(withPublic(options.hosts ?? "any", publicUrl));
  const origins = createOrigins(options.origins ?? [], publicUrl?.origin);
  const authenticate = options.access?.authenticate ?? createAuthenticate(options);
  // Nearly every request names the same host.
  let lastHost: string | undefined;
  const checkHost = (host: string): void => {
    if (host === lastHost) return;
    if (hostNameOf(host) === undefined) throw new CallError("bad_request", "The request's Host is malformed.");
    lastHost = host;
  };
  const checkOrigin = (exchange: Exchange): void => {
    if (!origins.admits(exchange)) {
      throw new CallError(
        "forbidden",
        "Pages of this origin may not call the service. An operator can add it to origins.",
      );
    }
  };
  const checkPlace = (exchange: Exchange): void => {
    if (!answersTo(exchange.host)) {
      throw new CallError(
        "forbidden",
        "This Host name is not answered. An operator can add it to hosts, or set publicUrl.",
      );
    }
    checkOrigin(exchange);
  };
  return {
    checkRequest(exchange) {
      const { incoming, host } = exchange;
      if (incoming === undefined) return;
      checkHeaders(incoming.rawHeaders);
      if (!host && incoming.httpVersion !== "1.0") throw new CallError("bad_request", "The request has no Host.");
      if (host) checkHost(host);
      if (exchange.path.charCodeAt(0) !== slash) checkTarget(exchange);
      if (exchange.path.includes("/.") || exchange.path.includes("%2")) refuseDotSegments(exchange.path);
    },
    checkOrigin,
    checkPlace,
    checkCaller(exchange) {
      checkPlace(exchange);
      return authenticate(header(exchange, "authorization"));
    },
    addCorsHeaders: origins.addHeaders,
  };
}

function withPublic(hosts: Hosts, publicUrl: PublicUrl | undefined): Hosts {
  if (hosts === "any" || publicUrl === undefined) return hosts;
  return [...(typeof hosts === "string" ? [hosts] : hosts), publicUrl.hostName];
}

/** Node keeps the first of two Host headers and joins two others; which one counts must not be left to chance. */
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
  // Node's own count leaves out some of what stands between.
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

/** Whether a header has this name: in one of its usual spellings, or in any. */
function isNamed(name: string, usual: string, lower: string): boolean {
  return name === lower || name === usual || name.toLowerCase() === lower;
}

/** Routing would resolve them, and what stands in front may not: the two would see different paths. */
function refuseDotSegments(path: string): void {
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) {
    throw new CallError("bad_request", "The request's path holds a segment . or ..");
  }
}

/**
 * A target that names a host itself (`GET http://host/…`) takes the place of Host (RFC 9112, 3.2.2). Where the two
 * differ, some of what stands between would go by the one and some by the other.
 */
function checkTarget({ path, host }: Exchange): void {
  if (path === "*") return;
  const authority = /^https?:\/\/([^/]*)/i.exec(path)?.[1];
  const name = authority === undefined ? undefined : hostNameOf(authority);
  if (name === undefined) throw new CallError("bad_request", "The request's target is malformed.");
  if (host && name !== hostNameOf(host)) {
    throw new CallError("bad_request", "The request's target and its Host name different hosts.");
  }
}
