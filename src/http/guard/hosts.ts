import { domainToASCII } from "node:url";
import { hostNameOf, isLoopbackAddress } from "../../net/host-name.ts";

/** `loopback` stands for all the names of the machine itself. */
export type Hosts = "any" | "loopback" | readonly string[];

/**
 * Which Host headers the service answers to: compared without port, case and a last dot.
 * @throws Error where an entry is not a host name
 */
export function createHostRule(hosts: Hosts): (host: string | undefined) => boolean {
  if (hosts === "any") return () => true;
  const entries = typeof hosts === "string" ? [hosts] : hosts;
  const loopback = entries.includes("loopback");
  const names = new Set(entries.filter((entry) => entry !== "loopback").map(readEntry));
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

function readEntry(entry: string): string {
  // An operator writes addresses without brackets, and names in their own script.
  const isBareIPv6 = entry.indexOf(":") !== entry.lastIndexOf(":") && !entry.startsWith("[");
  const [, label = "", port = ""] = /^([^:/\\?#@%\s]+)(:\d+)?$/.exec(entry) ?? [];
  const name = hostNameOf(isBareIPv6 ? `[${entry}]` : label === "" ? entry : domainToASCII(label) + port);
  if (name === undefined) throw new Error(`hosts: ${JSON.stringify(entry)} is not a host name`);
  return name;
}

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || isLoopbackAddress(name);
}
