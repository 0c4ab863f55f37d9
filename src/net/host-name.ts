import { parseUrl } from "./parse-url.ts";

interface Authority {
  readonly name: string;
  readonly port: number | undefined;
}

const maxPort = 65_535;
const authorityPattern = /^(?:(\[[0-9a-f:.]+\])|([\w-]+(?:\.[\w-]+)*)\.?)(?::(\d*))?$/;
/** Whatever ends in a number is an IPv4 address or malformed: `127.1` and `0x7f.1` are 127.0.0.1. */
const endsInNumber = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/**
 * The name in a Host header or a URL's authority, spelled in one way: without port and last dot, in lower case, an address
 * as URL writes it.
 * @returns undefined if it is malformed
 */
export function hostNameOf(authority: string): string | undefined {
  return readAuthority(authority)?.name;
}

/** A Host header with its name as {@link hostNameOf} writes it. */
export function canonicalHost(host: string): string | undefined {
  const authority = readAuthority(host);
  if (authority === undefined) return undefined;
  return authority.port === undefined ? authority.name : `${authority.name}:${authority.port}`;
}

/** Whether a name, as {@link hostNameOf} writes it, is an address that is reached from this machine alone. */
export function isLoopbackAddress(name: string): boolean {
  return name === "[::1]" || /^127(?:\.\d+){3}$/.test(name) || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(name);
}

function readAuthority(text: string): Authority | undefined {
  const [, literal, word, digits = ""] = authorityPattern.exec(text.toLowerCase()) ?? [];
  const port = digits === "" ? undefined : Number(digits);
  if (port !== undefined && port > maxPort) return undefined;
  const address = literal ?? (word !== undefined && endsInNumber.test(word) ? word : undefined);
  const name = address === undefined ? word : parseUrl(`http://${address}`)?.hostname;
  return name === undefined ? undefined : { name, port };
}
