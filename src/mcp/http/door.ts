import { keepByVersion } from "../../core/registry/kept-by-version.ts";
import { takeJsonBody } from "../../http/body/json-body.ts";
import type { DoorSettings } from "../../http/door.ts";
import { readQuery } from "../../http/query.ts";
import type { Route } from "../../http/route.ts";
import { readCallSettings } from "../../http/routes/call-settings.ts";
import { readRestriction } from "../../http/routes/run-calls.ts";
import { filterNames } from "../../http/routes/tool-list.ts";
import { createMcpHandler, type McpHandler } from "../handler.ts";
import { HttpMessage } from "./message.ts";
import type { Choice } from "../method.ts";
import { createErrorReply } from "./protocol-reply.ts";
import { createResourceMetadataRoutes } from "./resource-metadata.ts";

const maxChoices = 64;

/**
 * MCP over HTTP: `POST /mcp`, and what clients need to know to get tokens for it.
 * @example
 * ```ts
 * import { createApp, createRegistry, mcpDoor } from "toolhost";
 *
 * const app = createApp({ registry: createRegistry(), doors: [mcpDoor], hosts: "loopback" });
 * ```
 */
export function mcpDoor(settings: DoorSettings): readonly Route[] {
  return createMcpRoutes(settings, createMcpHandler(settings.registry, settings.startCall, settings.onFault));
}

/** @param handler answers the messages, whatever the transport */
export function createMcpRoutes(settings: DoorSettings, handler: McpHandler): readonly Route[] {
  const { registry, forwardedHeaders, body } = settings;
  const serving = { registry, handler };
  const choices = keepByVersion<Choice | undefined>(registry, maxChoices);
  const choose = (query: string): Choice | undefined => {
    if (query === "") return undefined;
    return choices(query, () => {
      const names = readRestriction(registry, readQuery(query, filterNames));
      return names === undefined ? undefined : { key: query, names };
    });
  };
  const route: Route<"/mcp"> = {
    method: "POST",
    path: "/mcp",
    isFor: "callers",
    isFrequent: true,
    startsCalls: true,
    responseHeaders: ["www-authenticate"],
    requestHeaders: ["mcp-protocol-version", "mcp-method", "mcp-name", "toolhost-session", "traceparent", "tracestate"],
    errorReply: createErrorReply(settings),
    handle(exchange, caller, _parameters, responder) {
      const { query, requestId } = exchange;
      const { session, parent, headers } = readCallSettings(exchange, forwardedHeaders, "");
      const connection = { caller, choice: choose(query), requestId, session, parent, headers };
      takeJsonBody(exchange, body, new HttpMessage(serving, exchange, connection, responder));
      return undefined;
    },
  };
  return [route, ...createResourceMetadataRoutes(settings)];
}
