import { isOriginEntry, originEntryRule } from "../../net/origin.ts";
import type { Exchange } from "../exchange.ts";

/** Which pages of other origins may call, and what their browsers must be told so that they can. */
export interface Origins {
  /** Whether the request comes from no page, from one of the service's own, or from an allowed one. */
  admits(exchange: Exchange): boolean;
  /** Adds what a browser asks for to an answer to an allowed origin, and nothing to any other. */
  addHeaders(exchange: Exchange, headers: Record<string, string>): void;
}

const requestHeaders =
  "accept, authorization, content-type, idempotency-key, if-none-match, prefer, toolhost-session, traceparent, tracestate, x-request-id";
const responseHeaders =
  "allow, etag, idempotency-replayed, location, retry-after, toolhost-outcome, www-authenticate, x-request-id";
const preflightSeconds = "600";

/**
 * CORS for the allowed origins alone: never `*`, and never with credentials, as a key is sent by the page itself.
 * @param allowed origins as browsers write them, such as `https://app.example:8443`
 * @param own the service's own origin where clients see another than its Host says: its pages need no CORS
 * @throws Error if an entry is not an origin. It names the entry's place, not its text.
 */
export function createOrigins(allowed: readonly string[], own?: string): Origins {
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
      // The route knows its methods: they stand in Allow.
      headers["access-control-allow-methods"] = (Object.hasOwn(headers, "allow") && headers["allow"]) || "OPTIONS";
      headers["access-control-allow-headers"] = requestHeaders;
      headers["access-control-max-age"] = preflightSeconds;
    },
  };
}
