import ipaddr from "ipaddr.js";

/** Azure's host agent, which hands out credentials: the one metadata address that lies among the public ones. */
const azureHostAgent = "168.63.129.16";

/** What IANA has given out for the public internet (RFC 4291, section 2.4; the IPv6 address space registry). */
const globalUnicast = ipaddr.IPv6.parse("2000::");
const globalUnicastBits = 3;

/**
 * Whether an address is one of the public internet. Loopback, private, link-local, carrier-grade NAT, multicast,
 * documentation and reserved addresses are not, nor are those that hold an IPv4 address (mapped, NAT64, 6to4, Teredo):
 * they lead wherever that one does.
 * @param address as the system writes it, not as a URL may
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || parsed.toString() === azureHostAgent) return false;
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast, globalUnicastBits);
}
