import { parseUrl } from "../net/parse-url.ts";
/** The address under which clients reach the service. */
export interface PublicUrl {
  /** Without a trailing slash, because paths are appended to it. */
  readonly url: string;
  readonly origin: string;
  /** As in a Host header, without port. */
  readonly hostName: string;
}

/** URL accepts more than a Host header can name. */
const isHostName = /^(?:\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)$/;

/** Whether {@link readPublicUrl} accepts a text. */
export function isPublicUrl(text: string): boolean {
  const url = /^https?:\/\/[^\s?#\\]+$/i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined) return false;
  const { username, password, hostname } = url;
  return username === "" && password === "" && isHostName.test(hostname);
}

/** The rule of {@link isPublicUrl}. Completes "must be". */
export const publicUrlRule =
  "an absolute http or https URL without a query, a fragment or a password, such as https://tools.example/api";

/** @throws Error if it is not such a URL. The message does not repeat the text, which may contain a password. */
export function readPublicUrl(text: string): PublicUrl {
  if (!isPublicUrl(text)) throw new Error(`publicUrl must be ${publicUrlRule}`);
  const { href, origin, hostname } = new URL(text);
  return { url: href.replace(/\/+$/, ""), origin, hostName: hostname };
}
