import ipaddr from "ipaddr.js";

/** Azure's host agent, which issues credentials: the only metadata address in the public range. */
const azureHostAgent = "168.63.129.16";

/** The range that IANA has assigned to the public internet (RFC 4291, section 2.4; the IPv6 address space registry). */
const globalUnicast = ipaddr.IPv6.parse("2000::");
const globalUnicastBits = 3;

/**
 * Whether an address is on the public internet. Loopback, private, link-local, carrier-grade NAT, multicast,
 * documentation and reserved addresses are not. Neither are addresses that embed an IPv4 address (mapped, NAT64, 6to4,
 * Teredo): they reach what that address reaches.
 * @param address in the system's notation, not that of a URL
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || parsed.toString() === azureHostAgent) return false;
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast, globalUnicastBits);
}
