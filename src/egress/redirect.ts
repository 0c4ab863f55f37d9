import { parseUrl } from "../net/parse-url.ts";
import { UpstreamError } from "../errors/errors.ts";
import { type Outgoing, refuseOtherSchemes } from "./outgoing.ts";

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * The headers that a redirect to another origin keeps. Any other may be a credential: services invent names for theirs
 * (`x-api-key`, `private-token`), so a list of headers to drop would never be complete.
 */
const harmlessHeaders = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-encoding",
  "content-language",
  "content-type",
  "if-modified-since",
  "if-none-match",
  "range",
  "user-agent",
]);

const bodyHeaders = ["content-encoding", "content-language", "content-location", "content-type"];

/** The target of a redirect; undefined if the response is not one. */
export function redirectTarget(status: number, location: string | null): string | undefined {
  if (location === null || !redirectStatuses.has(status)) return undefined;
  // Servers write UTF-8 in it, but headers are read as Latin-1.
  return Buffer.from(location, "latin1").toString();
}

/**
 * The request that follows a redirect (fetch standard, HTTP-redirect fetch).
 * @throws UpstreamError if it cannot be followed
 * @throws CallError `egress_blocked` if its target is not an http or https address
 */
export function followRedirect(request: Outgoing, status: number, location: string): Outgoing {
  if (parseUrl(location, request.url.href) === undefined) throw badRedirect(status, "to something that is not a URL");
  const url = new URL(location, request.url);
  refuseOtherSchemes(url);
  if (request.url.protocol === "https:" && url.protocol === "http:") throw badRedirect(status, "from https to http");
  url.username = url.password = "";

  const isSameOrigin = url.origin === request.url.origin;
  const headers = new Headers([...request.headers].filter(([name]) => isSameOrigin || harmlessHeaders.has(name)));
  if (becomesGet(status, request.method)) {
    for (const name of bodyHeaders) headers.delete(name);
    return { method: "GET", url, headers, body: undefined };
  }
  if (typeof request.body === "object" && !(request.body instanceof Uint8Array)) {
    throw badRedirect(status, "a request whose body cannot be sent again");
  }
  return { ...request, url, headers };
}

function becomesGet(status: number, method: string): boolean {
  return status === 303 ? method !== "GET" && method !== "HEAD" : status < 303 && method === "POST";
}

export function badRedirect(status: number, how: string): UpstreamError {
  return new UpstreamError(`The service behind the tool redirected ${how}. The redirect was not followed.`, { status });
}
