import { isIP } from "node:net";
import { isEgressEntry } from "../egress/rules.ts";
import { text } from "./shape.ts";

const what =
  "an address, a network such as 10.1.0.0/16, or a host name; behind an address ([…] around IPv6) or a name may stand :port";

/** One entry of `egress.allow`. */
export const egressRule = text(what, isEgressEntry);

/** What is wrong with the rules in a variable; each names its place in it, not what stands there. */
export function checkEgressRules(variable: string, rules: readonly string[]): string[] {
  return rules.flatMap((rule, index) =>
    isEgressEntry(rule) ? [] : [`${variable}: entry ${index + 1} must be ${what}`],
  );
}

/** An entry of `hosts`: what a Host header names, without its port. */
export const hostName = text("a host name or an address, without scheme and port", (host) => {
  const bare = /^\[(.*)\]$/.exec(host)?.[1];
  if (bare !== undefined) return isIP(bare) === 6;
  return isIP(host) === 6 ? isEgressEntry(host) : !/[:/]/.test(host) && isEgressEntry(host);
});
