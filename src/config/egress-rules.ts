import ipaddr from "ipaddr.js";
import { text } from "./shape.ts";

const what =
  "an address, a network such as 10.1.0.0/16, or a host name; behind an address ([…] around IPv6) or a name may stand :port";

/** One entry of `egress.allow`. */
export const egressRule = text(what, isEgressRule);

/** What is wrong with the rules in a variable; each names its place in it, not what stands there. */
export function checkEgressRules(variable: string, rules: readonly string[]): string[] {
  return rules.flatMap((rule, index) =>
    isEgressRule(rule) ? [] : [`${variable}: entry ${index + 1} must be ${what}`],
  );
}

function isEgressRule(rule: string): boolean {
  if (rule.includes("/")) return isNetwork(rule);
  if (isIPv6(rule)) return true;
  const [, bracketed, name = "", port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(rule) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  return bracketed === undefined ? isIPv4(name) || isHostName(name) : isIPv6(bracketed);
}

function isNetwork(rule: string): boolean {
  return !rule.includes("%") && (ipaddr.IPv4.isValidCIDRFourPartDecimal(rule) || ipaddr.IPv6.isValidCIDR(rule));
}

function isIPv4(address: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(address);
}

/** Without a zone: `%eth0` means something on one machine only. */
function isIPv6(address: string): boolean {
  return address.includes(":") && !address.includes("%") && ipaddr.IPv6.isValid(address);
}

/** A name that ends in a number would be taken for an IPv4 address, in whatever spelling. */
export function isHostName(name: string): boolean {
  if (name.length > 253 || /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(name)) return false;
  return /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i.test(name);
}

/** An entry of `hosts`: what a Host header names, without its port. */
export const hostName = text("a host name or an address, without scheme and port", (host) => {
  const bare = /^\[(.*)\]$/.exec(host)?.[1];
  return bare === undefined ? isHostName(host) || isIPv4(host) || isIPv6(host) : isIPv6(bare);
});
