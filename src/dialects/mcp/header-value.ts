/**
 * How values of any text travel in headers. Rules:
 * modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http, "Value Encoding".
 */
const prefix = "=?base64?";
const suffix = "?=";

/** What a header would not keep as it is, and what may look encoded to a server, is sent as base64. */
export function encodeHeaderValue(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(value);
  return isPlain && !/^=\?base64\?.*\?=$/i.test(value)
    ? value
    : `${prefix}${Buffer.from(value).toString("base64")}${suffix}`;
}

/** @returns undefined if the encoded part is not base64 of UTF-8 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!isEncoded(value)) return value;
  const text = value.slice(prefix.length, -suffix.length);
  const bytes = Buffer.from(text, "base64");
  // Buffer skips what is not base64, and accepts any padding.
  if (bytes.toString("base64") !== text) return undefined;
  const decoded = bytes.toString("utf8");
  return Buffer.from(decoded).equals(bytes) ? decoded : undefined;
}

function isEncoded(value: string): boolean {
  return value.startsWith(prefix) && value.endsWith(suffix) && value.length >= prefix.length + suffix.length;
}
