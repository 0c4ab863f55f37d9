import { parseUrl } from "./parse-url.ts";

/** What {@link isOriginEntry} asks for. Completes "must be". */
export const originEntryRule = "an origin as a browser sends it, such as https://app.example:8443";

/** Whether a text can be an entry of `origins`. It is compared as text with what browsers send, so it must be written as they write it. */
export function isOriginEntry(text: string): boolean {
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*\\]+$/.test(text) ? parseUrl(text) : undefined;
  if (url === undefined) return false;
  const { origin, protocol } = url;
  if (protocol === "file:") return false;
  // Extensions and desktop shells have schemes of their own, for which URL has no origin.
  return origin === "null" ? text === text.toLowerCase() : origin === text;
}
