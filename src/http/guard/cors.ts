import { isOriginEntry, originEntryRule } from "../../net/origin.ts";
import type { Exchange } from "../exchange.ts";

/** Which pages of other origins may call, and the headers with which their browsers allow it. */
export interface Origins {
  /** Whether the request comes from an allowed page, from a page of the service itself, or not from a page. */
  admits(exchange: Exchange): boolean;
  /** Adds the headers of CORS to an answer to an allowed origin only. */
  addHeaders(exchange: Exchange, headers: Record<string, string>): void;
}

/** Headers of routes, in lower case. */
export interface CorsHeaders {
  /** The headers that a page may send. */
  readonly requestHeaders: readonly string[];
  /** The headers that a page may read. */
  readonly responseHeaders: readonly string[];
}

/** The headers that every route accepts, and those that any answer may have. */
const common: CorsHeaders = {
  requestHeaders: ["accept", "authorization", "content-type", "x-request-id"],
  responseHeaders: ["allow", "retry-after", "toolhost-outcome", "www-authenticate", "x-request-id"],
};
const preflightSeconds = "600";

/**
 * CORS for the allowed origins alone: never `*`, and never with credentials, as a key is sent by the page itself. The
 * headers of all routes go with every answer: a page must also be able to read an answer that no route made.
 * @param allowed origins as browsers write them, such as `https://app.example:8443`
 * @param ofRoutes the headers of the routes, in addition to those that all routes have
 * @param own the service's own origin, if clients see another one than the Host: its pages need no CORS
 * @throws Error if an entry is not an origin. It names the entry's place, not its text.
 */
export function createOrigins(allowed: readonly string[], ofRoutes: CorsHeaders, own?: string): Origins {
  const requestHeaders = listOf([...common.requestHeaders, ...ofRoutes.requestHeaders]);
  const responseHeaders = listOf([...common.responseHeaders, ...ofRoutes.responseHeaders]);
  const faulty = allowed.findIndex((entry) => !isOriginEntry(entry));
  if (faulty !== -1) throw new Error(`origins[${faulty}] must be ${originEntryRule}`);
  const origins = new Set(allowed);
  const isAllowed = (origin: string): boolean => origins.has(origin) || origins.has(origin.toLowerCase());
  return {
    admits({ headers, host }) {
      const origin = headers["origin"];
      if (origin === undefined) return true;
      if (typeof origin !== "string") return false;
      return origin === `http://${host}` || origin === `https://${host}` || origin === own || isAllowed(origin);
    },
    addHeaders({ headers: { origin }, method }, headers) {
      if (typeof origin !== "string" || !isAllowed(origin)) return;
      headers["access-control-allow-origin"] = origin;
      headers["access-control-expose-headers"] = responseHeaders;
      headers["vary"] = Object.hasOwn(headers, "vary") ? `${headers["vary"]}, Origin` : "Origin";
      if (method !== "OPTIONS") return;
      // The answer to OPTIONS has the methods of the path in Allow.
      headers["access-control-allow-methods"] = (Object.hasOwn(headers, "allow") && headers["allow"]) || "OPTIONS";
      headers["access-control-allow-headers"] = requestHeaders;
      headers["access-control-max-age"] = preflightSeconds;
    },
  };
}

function listOf(names: readonly string[]): string {
  return [...new Set(names)].sort().join(", ");
}
