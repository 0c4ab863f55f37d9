import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { Context, Hono } from "hono";
import type { Answer } from "./answer.ts";
import { exchangeOfIncoming, exchangeOfRequest } from "./exchange.ts";
import { type HttpReply, toResponse } from "./http-reply.ts";
import { methodRefused, noRoute, optionsOf } from "./no-route.ts";
import { BodyMessage } from "./node/body-message.ts";
import type { Endpoint } from "./route.ts";
import type { RouteTable } from "./route-table.ts";

/** Hono's parameter for the rest of a path after a prefix. */
const restName = "rest";

/**
 * Gives a Hono app the paths of a table. Hono finds the route; the answer is made in the same way for every transport.
 */
export function mountRoutes(app: Hono, table: RouteTable, answer: Answer): void {
  for (const routed of table.paths) {
    for (const route of routed.routes) {
      app.on(route.method, honoPattern(route.path), (c) => respond(c, answer, route));
    }
    const options = optionsOf(routed.allow, routed.path);
    const refusal = methodRefused(routed, table);
    app.all(honoPattern(routed.path), (c) => respond(c, answer, c.req.method === "OPTIONS" ? options : refusal));
  }
  app.notFound((c) => respond(c, answer, noRoute));
}

function honoPattern(path: string): string {
  return path.replace(/\*$/, `:${restName}{.*}`);
}

function respond(c: Context, answer: Answer, endpoint: Endpoint): Promise<Response> {
  // Only requests of Toolhost's own server are read from the socket: with other servers, other code may have read or
  // replaced the Request.
  const { incoming, outgoing } = (c.env ?? {}) as { incoming?: Partial<Readable>; outgoing?: ServerResponse };
  const exchange =
    incoming instanceof BodyMessage
      ? exchangeOfIncoming(incoming, outgoing)
      : exchangeOfRequest(c.req, incoming?.readableDidRead === true);
  const parameters = parametersOf(c, endpoint, exchange.path);
  return new Promise((resolve) =>
    answer(exchange, parameters === undefined ? noRoute : endpoint, parameters ?? {}, ({ method }, reply) =>
      resolve(toResponse(method === "HEAD" ? withoutBody(reply) : reply)),
    ),
  );
}

/** @returns undefined if the rest of a path could mean a place outside of the prefix */
function parametersOf(c: Context, { path: pattern }: Endpoint, path: string): Record<string, string> | undefined {
  const found: Record<string, string> = c.req.param();
  if (pattern?.endsWith("*") !== true) return found;
  const { [restName]: rest = "", ...others } = found;
  const isOutside = rest.startsWith("/") || rest.split("/").some((segment) => segment === "." || segment === "..");
  // A percent-encoded separator does not separate segments.
  if (isOutside || /[\\\0]/.test(rest) || /%2f/i.test(path)) return undefined;
  return { ...others, "*": rest };
}

/** The body of an answer to HEAD is not read, so a stream would never end. */
function withoutBody(reply: HttpReply): HttpReply {
  if (!(reply.body instanceof ReadableStream)) return reply;
  void reply.body.cancel();
  return { ...reply, body: null };
}
