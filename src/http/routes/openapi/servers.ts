import { readPublicUrl } from "../../../access/public-url.ts";
import type { Exchange } from "../../exchange.ts";
import type { Hosts } from "../../guard/hosts.ts";

export interface ServersOptions {
  readonly hosts?: Hosts;
  readonly publicUrl?: string | undefined;
}

export interface Server {
  readonly url: string;
  /** It depends on this request alone, and must not be kept for another. */
  readonly isOfRequest: boolean;
}

/**
 * The URL of the service in a document: its `publicUrl`, else the URL of this request if its Host was checked. With an
 * unchecked Host, a foreign request could set the server in another caller's document.
 */
export function createServerOf({ publicUrl, hosts = "any" }: ServersOptions): (exchange: Exchange) => Server {
  if (publicUrl !== undefined) {
    const { url } = readPublicUrl(publicUrl);
    return () => ({ url, isOfRequest: false });
  }
  if (hosts === "any") return (exchange) => ({ url: mountOf(exchange) || "/", isOfRequest: false });
  return (exchange) => ({
    url: `${schemeOf(exchange)}//${exchange.host}${mountOf(exchange)}`,
    isOfRequest: true,
  });
}

/** Toolhost's own server uses plain HTTP; the server of another app may use TLS. */
function schemeOf({ request }: Exchange): string {
  return request === undefined ? "http:" : new URL(request.url).protocol;
}

/** The path under which another app has mounted this one, if that app leaves it in the request's path, as Hono does. */
function mountOf({ path }: Exchange): string {
  return /^((?:\/[\w.~-]+)*)\/openapi\.json$/.exec(path)?.[1] ?? "";
}
