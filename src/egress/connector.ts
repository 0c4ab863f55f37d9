import { lookup as lookUp, type LookupAddress, type LookupOptions } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector } from "undici";
import { UpstreamError } from "../errors/errors.ts";
import { isPublicAddress } from "./addresses.ts";
import { badPorts } from "./ports.ts";
import { egressBlocked, type EgressRules, portBlocked } from "./rules.ts";

export type Connector = buildConnector.connector;

export interface ConnectorOptions {
  readonly connectTimeoutMs: number;
  /** Resolves names to addresses. @default the system's resolver */
  readonly lookup?: LookupFunction;
}

/**
 * Opens the connections to one origin, if the rules allow it. It checks an address in the URL before it connects, a
 * name in the same lookup that it connects with, and the peer again after it has connected. `lookup` alone is not a
 * guard, because it is not called for addresses.
 */
export function createConnector(origin: URL, rules: EgressRules, options: ConnectorOptions): Connector {
  const { connectTimeoutMs: timeout, lookup = lookUp as LookupFunction } = options;
  const host = origin.hostname.replace(/^\[|\]$|\.$/g, "");
  const port = Number(origin.port) || (origin.protocol === "https:" ? 443 : 80);
  if (rules.allowsHost(origin.protocol, host, port)) return markUnsent(buildConnector({ timeout, lookup }));

  if (badPorts.has(port) && !rules.allowsAddress(host, port)) return refuseAll(portBlocked(host, port));
  const allows = (address: string) => isPublicAddress(address) || rules.allowsAddress(address, port);
  const refusal = () => egressBlocked(host, port);
  if (isIP(host) !== 0 && !allows(host)) return refuseAll(refusal());
  const connect = buildConnector({ timeout, lookup: guardLookup(lookup, allows, refusal) });
  return markUnsent(guardPeer(connect, allows, refusal));
}

function refuseAll(refusal: Error): Connector {
  return (_options, callback) => callback(refusal, null);
}

/** Filters the addresses of a name to those that are allowed. */
function guardLookup(
  lookup: LookupFunction,
  allows: (address: string) => boolean,
  refusal: () => Error,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true } satisfies LookupOptions, (error, found) => {
      if (error) return callback(error, []);
      const allowed = (found as LookupAddress[]).filter(({ address }) => allows(address));
      const [first] = allowed;
      if (first === undefined) return callback(refusal(), []);
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

/** Closes every connection whose peer address is not allowed, however it was opened. */
export function guardPeer(connect: Connector, allows: (address: string) => boolean, refusal: () => Error): Connector {
  return (options, callback) => {
    connect(options, (error, socket) => {
      if (error !== null) return callback(error, null);
      const peer = (socket as Socket).remoteAddress;
      if (peer !== undefined && allows(peer)) return callback(null, socket);
      socket.destroy();
      return callback(refusal(), null);
    });
  };
}

/**
 * Marks errors of connections that were never opened: then nothing was sent. Only this place knows that for certain.
 */
function markUnsent(connect: Connector): Connector {
  return (options, callback) => {
    connect(options, (error, socket) => (error === null ? callback(null, socket) : callback(toUnsent(error), null)));
  };
}

function toUnsent(error: Error): Error {
  if (error.name === "CallError") return error;
  const code = codeOf(error);
  return new UpstreamError(
    `The service behind the tool could not be reached${code === undefined ? "" : ` (${code})`}.`,
    {
      ran: "no",
      cause: error,
    },
  );
}

/** If several addresses were tried, the first error represents all. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  return "errors" in error && Array.isArray(error.errors) ? codeOf(error.errors[0]) : undefined;
}
