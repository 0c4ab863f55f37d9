import type { IncomingMessage, ServerResponse } from "node:http";
import type { HonoRequest } from "hono";
import { createIds } from "../core/process-ids.ts";

/** A request as the routes see it, over a socket or in memory. */
export interface Exchange {
  readonly method: string;
  /** As received, percent-encoded. */
  readonly path: string;
  /** The text after the `?`; empty if there is none. */
  readonly query: string;
  /** Names in lower case. Inherits nothing. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly host: string | undefined;
  /** Taken from `X-Request-Id`, or generated. */
  readonly requestId: string;
  /** The request itself: a socket's, or one made in memory. */
  readonly incoming: IncomingMessage | undefined;
  /** The object that the answer is written to, if the request came over a socket. */
  readonly outgoing: ServerResponse | undefined;
  readonly request: HonoRequest | undefined;
  /** Other code has read from the socket's stream before the request came here. */
  readonly wasRead: boolean;
}

export function exchangeOfIncoming(incoming: IncomingMessage, outgoing?: ServerResponse): Exchange {
  const { headers, url = "/" } = incoming;
  const mark = url.indexOf("?");
  return {
    method: incoming.method ?? "GET",
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? "" : url.slice(mark + 1),
    headers,
    host: headers.host,
    requestId: readRequestId(headers["x-request-id"]),
    incoming,
    outgoing,
    request: undefined,
    wasRead: false,
  };
}

export function exchangeOfRequest(request: HonoRequest, wasRead = false): Exchange {
  const headers = Object.create(null) as Record<string, string>;
  for (const [name, value] of request.raw.headers) headers[name] = value;
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers,
    host: headers["host"] ?? url.host,
    requestId: readRequestId(headers["x-request-id"]),
    incoming: undefined,
    outgoing: undefined,
    request,
    wasRead,
  };
}

/** One header, or undefined if it is absent or empty. */
export function header(exchange: Exchange, name: string): string | undefined {
  const value = exchange.headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

const nextRequestId = createIds(".");

/**
 * The request's own id, or a new one. A client's id is written to logs and headers, so only printable ASCII of limited
 * length is accepted.
 */
export function readRequestId(sent: string | string[] | undefined): string {
  if (typeof sent === "string" && /^[\x21-\x7e]{1,200}$/.test(sent)) return sent;
  return nextRequestId();
}
