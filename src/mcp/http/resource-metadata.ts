import { readPublicUrl } from "../../access/public-url.ts";
import type { DoorSettings } from "../../http/door.ts";
import type { Exchange } from "../../http/exchange.ts";
import { jsonReply } from "../../http/http-reply.ts";
import type { Route } from "../../http/route.ts";

export const metadataPath = "/.well-known/oauth-protected-resource";

/**
 * What a client needs to know to get a token for `/mcp`: OAuth 2.0 Protected Resource Metadata (RFC 9728). A client may ask
 * with the path of the resource behind the well-known one. No routes if no tokens are accepted.
 */
export function createResourceMetadataRoutes({ publicUrl, tokenIssuer }: DoorSettings): readonly Route[] {
  if (tokenIssuer === undefined) return [];
  const base = publicUrl === undefined ? undefined : readPublicUrl(publicUrl).url;
  const handle: Route["handle"] = (exchange) =>
    jsonReply(
      {
        resource: `${base ?? originOf(exchange)}/mcp`,
        authorization_servers: [tokenIssuer],
        bearer_methods_supported: ["header"],
        resource_name: "Toolhost",
      },
      // Without a public URL it is made of the request's Host.
      { "cache-control": base === undefined ? "no-store" : "public, max-age=3600" },
    );
  const route: Omit<Route, "path"> = { method: "GET", isFor: "anyone", handle };
  return [
    { ...route, path: metadataPath },
    { ...route, path: `${metadataPath}/*` },
  ];
}

function originOf({ request, host }: Exchange): string {
  return `${request === undefined ? "http:" : new URL(request.url).protocol}//${host}`;
}
