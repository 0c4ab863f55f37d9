import { isIP } from "node:net";
import { SourceError } from "../../core/source.ts";
import { isPublicAddress } from "../../egress/addresses.ts";
import { isLoopback } from "../../net/loopback.ts";
import { parseUrl } from "../../net/parse-url.ts";
import type { ReadOpenApi } from "./read-openapi.ts";
import { isDocumentUrl, type OpenApiSetting } from "./setting.ts";

/** Why the tools of a document cannot be called. */
export const noBase = "the document has no server with an http or https URL; set baseUrl";

/**
 * The URL of the API: the operator's `baseUrl`, otherwise the document's first
 * server. @returns undefined if there is neither
 * @throws SourceError if credentials would go where the operator did not send them
 */
export function findBase({ baseUrl }: ReadOpenApi, setting: OpenApiSetting): URL | undefined {
  const base = baseUrl === undefined ? undefined : parseUrl(baseUrl);
  if (base === undefined || !/^https?:$/.test(base.protocol)) return undefined;
  const { openapi, auth, headers, forward } = setting;
  const hasCredentials = auth !== undefined || headers !== undefined || forward !== undefined;
  const isChosen =
    setting.baseUrl !== undefined || !isDocumentUrl(openapi) || parseUrl(openapi)?.origin === base.origin;
  if (hasCredentials && !isChosen) {
    throw new SourceError(
      `the document's server ${base.origin} has another origin than the document, and would receive the values of "auth", "headers" and "forward"; set baseUrl to the address that may receive them`,
    );
  }
  return base;
}

/** A problem that the operator should correct before the tools are called. */
export function baseWarnings(base: URL | undefined, { openapi, baseUrl }: OpenApiSetting): string[] {
  if (base === undefined) return [noBase];
  const isAllowed = baseUrl !== undefined || (isDocumentUrl(openapi) && parseUrl(openapi)?.origin === base.origin);
  const host = base.hostname.replace(/^\[|\]$/g, "");
  const isPrivate = isIP(host) === 0 ? isLoopback(host) : !isPublicAddress(host);
  if (isAllowed || !isPrivate) return [];
  return [
    `the document's server ${base.origin} is not a public address, so calls are refused unless egress.allow contains it; to allow them, set baseUrl to the URL of the API`,
  ];
}
