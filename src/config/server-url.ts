import { parseUrl } from "../net/parse-url.ts";

/** The endpoint of an MCP server, which requests are sent to as it is. */
export function isServerUrl(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.hash === ""
  );
}

/** Completes "must be". */
export const serverUrlRule = "an http or https URL without a password or fragment";
