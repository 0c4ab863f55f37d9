import { BlockList, isIP } from "node:net";
import { CallError } from "../errors/errors.ts";
import { isAddress, isHostName, normalizeHostName } from "../net/host-entry.ts";
import { parseUrl } from "../net/parse-url.ts";

/** What is allowed beyond the public internet. Plain data, so that it can be sent to a worker thread. */
export interface EgressOptions {
  /**
   * What tools may reach in addition to public addresses: `10.1.2.3`, `10.1.0.0/16`, `fd00::1`, `internal.example`, and
   * with a port `10.1.2.3:8080`, `[fd00::1]:8080`, `internal.example:443`. A host name is allowed whatever it resolves
   * to.
   * @default []
   */
  readonly allow?: readonly string[];
  /** The operator's own base URLs. Their origins are allowed whatever their address. @default [] */
  readonly origins?: readonly string[];
}

export interface EgressRules {
  /** Whether this host is allowed at this port, whatever its address. */
  allowsHost(protocol: string, host: string, port: number): boolean;
  /** Whether this address, which may be non-public, is allowed at this port. */
  allowsAddress(address: string, port: number): boolean;
}

/** @throws TypeError that names an invalid entry */
export function readEgressRules({ allow = [], origins = [] }: EgressOptions): EgressRules {
  const trusted = new Set(origins.map(toOrigin));
  const hosts = new Set<string>();
  // By port; undefined contains those without a port.
  const addresses = new Map<number | undefined, BlockList>();

  for (const text of allow) {
    const entry = parseEntry(text);
    if (entry === undefined) throw invalidEntry(text);
    if (entry.prefix === undefined) hosts.add(toHostKey(entry.host, entry.port));
    else addAddress(addresses, entry.host, entry.prefix, entry.port);
  }

  return {
    allowsHost: (protocol, host, port) =>
      hosts.has(toHostKey(host, port)) ||
      hosts.has(toHostKey(host)) ||
      (trusted.size > 0 && trusted.has(toOrigin(`${protocol}//${isIP(host) === 6 ? `[${host}]` : host}:${port}`))),
    allowsAddress: (address, port) =>
      [addresses.get(undefined), addresses.get(port)].some((list) => list?.check(address, familyOf(address)) === true),
  };
}

/**
 * The refusal of a host, which is an address or a name. The address that a name resolved to is only for the operator.
 */
export function egressBlocked(host: string, port: number): CallError {
  return isIP(host) === 0
    ? refuse(`The host ${host} resolves to an address that is not allowed by the egress rules.`, `${host}:${port}`)
    : refuse(`The address ${host} is not allowed by the egress rules.`, host);
}

/** The refusal of a port that belongs to a protocol other than HTTP. */
export function portBlocked(host: string, port: number): CallError {
  const authority = isIP(host) === 6 ? `[${host}]` : host;
  return refuse(
    `Port ${port} is not allowed by the egress rules, because it is not an HTTP port.`,
    `${authority}:${port}`,
  );
}

function refuse(what: string, entry: string): CallError {
  const line = `egress: { allow: ["${entry}"] }`;
  return new CallError("egress_blocked", `${what} The operator can allow it in toolhost.yaml with ${line}.`);
}

/** The rule of {@link isEgressEntry}. Completes "must be". */
export const egressEntryRule =
  "an address, a network such as 10.1.0.0/16, or a host name; an address or a name may have a port: 10.1.0.1:443, [::1]:443, api.example:443";

/** Whether a text is a valid entry of `allow`. */
export function isEgressEntry(text: string): boolean {
  return parseEntry(text) !== undefined;
}

interface Entry {
  readonly host: string;
  /** Number of significant bits; undefined for a name. */
  readonly prefix: number | undefined;
  readonly port: number | undefined;
}

function parseEntry(text: string): Entry | undefined {
  const slash = text.indexOf("/");
  if (slash !== -1) return parseRange(text.slice(0, slash), text.slice(slash + 1));
  if (bitsOf(text) !== undefined) return { host: text, prefix: bitsOf(text), port: undefined };

  // An address in brackets is IPv6; otherwise the last colon begins the port.
  const parts = /^(?:\[(?<six>[^\]]+)\]|(?<host>[^:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const host = parts["six"] ?? parts["host"] ?? "";
  const port = parts["port"] === undefined ? undefined : Number(parts["port"]);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const bits = bitsOf(host);
  if (parts["six"] !== undefined && bits !== 128) return undefined;
  if (bits === undefined && !isHostName(host)) return undefined;
  return { host, prefix: bits, port };
}

function parseRange(address: string, prefix: string): Entry | undefined {
  const bits = bitsOf(address);
  if (bits === undefined || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return undefined;
  return { host: address, prefix: Number(prefix), port: undefined };
}

function bitsOf(address: string): 32 | 128 | undefined {
  if (!isAddress(address)) return undefined;
  return isIP(address) === 4 ? 32 : 128;
}

function toHostKey(host: string, port?: number): string {
  const name = isIP(host) === 0 ? normalizeHostName(host) : host;
  return port === undefined ? name : `${name}:${port}`;
}

function addAddress(lists: Map<number | undefined, BlockList>, address: string, prefix: number, port?: number): void {
  const list = lists.get(port) ?? new BlockList();
  list.addSubnet(address, prefix, familyOf(address));
  lists.set(port, list);
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function toOrigin(text: string): string {
  const url = parseUrl(text);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new TypeError(`egress.origins: an entry is not an http or https URL`);
  }
  // The root's dot is not part of the name, and the connector gets the name without it.
  return url.origin.replace(/\.(?=:\d+$|$)/, "");
}

function invalidEntry(text: string): TypeError {
  return new TypeError(
    `egress.allow: ${JSON.stringify(text)} must be an address, a range such as 10.1.0.0/16, or a host name without *; a port can follow, as in internal.example:443 or [fd00::7]:8080`,
  );
}
