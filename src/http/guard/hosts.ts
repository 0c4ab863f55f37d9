import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { hostEntryRule, isHostEntry } from "../../net/host-entry.ts";
import { hostNameOf } from "../../net/host-name.ts";
import { isLoopbackName } from "../../net/loopback.ts";

/** `loopback` means all names of the machine itself. */
export type Hosts = "any" | "loopback" | readonly string[];

/**
 * Checks whether a Host header is allowed: compared without port, case and a final dot.
 * @throws Error if an entry is not a host name or an address. It names the entry's place, not its text.
 */
export function createHostRule(hosts: Hosts): (host: string | undefined) => boolean {
  if (hosts === "any") return () => true;
  const entries = typeof hosts === "string" ? [hosts] : hosts;
  const loopback = entries.includes("loopback");
  const names = new Set(entries.flatMap((entry, index) => (entry === "loopback" ? [] : [readEntry(entry, index)])));
  // Nearly every request names the same host: comparing is cheaper than a pattern.
  let lastHost: string | undefined;
  return (host) => {
    if (host === undefined) return false;
    if (host === lastHost) return true;
    const name = hostNameOf(host);
    if (name === undefined || !(names.has(name) || (loopback && isLoopbackName(name)))) return false;
    lastHost = host;
    return true;
  };
}

function readEntry(entry: string, index: number): string {
  // An operator writes IPv6 addresses without brackets, and may write names in non-ASCII letters.
  const authority = isIP(entry) === 6 ? `[${entry}]` : entry.startsWith("[") ? entry : domainToASCII(entry);
  const name = isHostEntry(entry) ? hostNameOf(authority) : undefined;
  if (name === undefined) throw new Error(`hosts[${index}] must be ${hostEntryRule}`);
  return name;
}
