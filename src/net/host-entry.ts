import { isIP } from "node:net";
import { domainToASCII } from "node:url";

const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const namePattern = new RegExp(`^${label}(?:\\.${label})*$`);

/** Names are compared in ASCII, in lower case and without the dot of the root. */
export function normalizeHostName(name: string): string {
  return domainToASCII(name).replace(/\.$/, "");
}

/** In a URL these end the host or change it: `domainToASCII` reads `a?b` as `a`. */
const notInNames = /[\s/\\?#@%:[\]]/;

/** A name whose last label is a number would be read as an IPv4 address in another spelling (URL standard, 3.5). */
export function isHostName(text: string): boolean {
  if (notInNames.test(text)) return false;
  const name = normalizeHostName(text);
  return namePattern.test(name) && !/^(?:\d+|0x[0-9a-f]*)$/.test(name.slice(name.lastIndexOf(".") + 1));
}

/** Whether a text is an address. A zone means something on one machine only, so an address with one is not accepted. */
export function isAddress(text: string): boolean {
  return !text.includes("%") && isIP(text) !== 0;
}

/** What {@link isHostEntry} asks for. Completes "must be". */
export const hostEntryRule = "a host name or an address, without scheme and port";

/** Whether a text can be an entry of `hosts`: what a Host header names, without its port. */
export function isHostEntry(text: string): boolean {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1];
  if (bracketed !== undefined) return isAddress(bracketed) && isIP(bracketed) === 6;
  return isAddress(text) || isHostName(text);
}
