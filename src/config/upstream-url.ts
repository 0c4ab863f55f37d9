import { parseUrl } from "../net/parse-url.ts";

/** A URL that requests are made of by adding paths to it. */
export function isUpstreamUrl(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

/** Completes "must be". */
export const upstreamUrlRule = "an http or https URL without a password, query or fragment";
