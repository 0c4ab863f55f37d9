import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { type Context, Hono } from "hono";
import { createStartCall, type StartCall } from "../core/call/start-call.ts";
import { CallError } from "../core/errors.ts";
import { isRegistry, type Registry } from "../core/registry/registry.ts";
import type { SourceStatus } from "../core/source.ts";
import { type Answer, type AnswerObserver, createAnswer, type RouteHandler, replying, type Route } from "./answer.ts";
import { BodyMessage } from "./node/body-message.ts";
import { exchangeOfIncoming, exchangeOfRequest } from "./exchange.ts";
import { createGuard, type GuardOptions } from "./guard/guard.ts";
import type { Calling } from "./routes/calling.ts";
import { invokeCalls } from "./routes/invoke-calls.ts";
import { invokeTool } from "./routes/invoke-tool.ts";
import { createOpenApiDocument } from "./routes/openapi/document.ts";
import { readQuery } from "./query.ts";
import type { Refusal } from "./guard/refusal.ts";
import type { HeldBytes } from "./body/received-body.ts";
import { errorReply, jsonReply, type HttpReply, toResponse } from "./http-reply.ts";
import { type Lifecycle, servingLifecycle } from "./lifecycle.ts";
import { describeStatus } from "./routes/status.ts";
import { createToolList, findListed } from "./routes/tool-list.ts";

export interface AppOptions extends GuardOptions, AnswerObserver {
  readonly registry: Registry;
  /** Runs the calls. @default createStartCall(registry) */
  readonly startCall?: StartCall;
  /** The largest body of a call. @default 1048576 */
  readonly maxBodyBytes?: number;
  /** The largest body of a model's reply: `POST /calls?format=…`. @default 16777216 */
  readonly maxReplyBytes?: number;
  /** How many bytes of bodies are held at once; beyond it requests are `overloaded`. @default 268435456 */
  readonly maxBytesInFlight?: number;
  /** Counts those bytes for a service whose app is replaced while it runs. @default of this app alone */
  readonly bytesInFlight?: HeldBytes;
  /** What `/status` tells of where tools come from. @default what the registry holds */
  readonly sources?: () => readonly SourceStatus[];
  /** The text of `/metrics`. @default none: the route answers 404 */
  readonly metrics?: () => string;
  /** Whether the service starts, serves or ends. @default serving */
  readonly lifecycle?: Lifecycle;
}

/** For our own server, which brings calls past Hono by the same functions. */
export interface Answering {
  readonly answer: Answer;
  readonly invoke: Route;
  /** `OPTIONS *`, which asks about the service and none of its paths. */
  readonly wholeService: Route;
  /** For what the server itself refuses. */
  readonly onRefused: ((refusal: Refusal) => void) | undefined;
}

export type App = Hono & { readonly answering: Answering };

/**
 * Every route of the service. The app also runs in memory (`app.request`) and inside another Hono app.
 * @example
 * ```ts
 * import { serve } from "@hono/node-server";
 * import { createApp, createRegistry } from "toolhost";
 *
 * const app = createApp({ registry: createRegistry(), apiKeys: ["a-long-random-key"], hosts: "loopback" });
 * serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 8080 });
 * ```
 */
export function createApp(options: AppOptions): App {
  refuseUnlessRegistry(options);
  const { lifecycle = servingLifecycle } = options;
  const answer = createAnswer(createGuard(options), lifecycle, options);
  const routes = createRoutes(options, lifecycle);

  const app = new Hono();
  const allowed = new Map<string, string[]>();
  for (const [methodAndPath, handle] of Object.entries(routes)) {
    const [method = "", path = ""] = methodAndPath.split(" ");
    const route: Route = { isFor: healthPaths.has(path) ? "anyHost" : "callers", path, handle };
    app.on(method, path, (c) => respond(c, answer, route));
    allowed.set(path, [...(allowed.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  }
  for (const [path, methods] of allowed) {
    const allow = [...methods, "OPTIONS"].join(", ");
    const refuse = (): HttpReply => refuseMethod(allow);
    const handle = replying(operatorPaths.has(path) ? forOperators(refuse) : refuse);
    const refusing: Route = { isFor: "callers", path, handle };
    const telling = tellingAllow(allow, path);
    app.all(path, (c) => respond(c, answer, c.req.method === "OPTIONS" ? telling : refusing));
  }
  app.notFound((c) => respond(c, answer, notFoundRoute));
  const invoke: Route = { isFor: "callers", path: invokePath.slice("POST ".length), handle: routes[invokePath] };
  const wholeService = tellingAllow("GET, HEAD, POST, OPTIONS");
  return Object.assign(app, { answering: { answer, invoke, wholeService, onRefused: options.onRefused } });
}

/** The answer to OPTIONS. */
function tellingAllow(allow: string, path?: string): Route {
  const handle = replying(() => ({ status: 204, headers: { allow }, body: null }));
  return path === undefined ? { isFor: "pages", handle } : { isFor: "pages", path, handle };
}

const healthPaths = new Set(["/livez", "/readyz", "/healthz"]);
/** For all others there is nothing there, whatever the method. */
const operatorPaths = new Set(["/metrics"]);
const invokePath = "POST /tools/:name/invoke";

function createRoutes(options: AppOptions, lifecycle: Lifecycle) {
  const { registry, maxBodyBytes = 1_048_576, maxReplyBytes = 16_777_216, metrics } = options;
  const { bytesInFlight: held = { bytes: 0 }, maxBytesInFlight: maxHeldBytes = 268_435_456 } = options;
  const calling: Calling = {
    registry,
    startCall: options.startCall ?? createStartCall(registry),
    body: { maxBytes: maxBodyBytes, held, maxHeldBytes },
    reply: { maxBytes: maxReplyBytes, held, maxHeldBytes },
  };
  return {
    "GET /tools": replying(createToolList(registry)),
    "GET /tools/:name": replying((exchange, caller, name) => {
      readQuery(exchange.query, []);
      const entry = findListed(registry, caller, name);
      return jsonReply(entry.declaration, { vary: "Authorization", "cache-control": "private, no-cache" });
    }),
    [invokePath]: (exchange, caller, name, later) => {
      refuseWhileEnding(lifecycle);
      invokeTool(calling, exchange, caller, name, later);
    },
    "POST /calls": replying((exchange, caller) => {
      refuseWhileEnding(lifecycle);
      return invokeCalls(calling, exchange, caller);
    }),
    "GET /status": replying((_exchange, caller) => jsonReply(describeStatus(registry, caller, options.sources))),
    "GET /openapi.json": replying(createOpenApiDocument(registry, options)),
    ...(metrics !== undefined && { "GET /metrics": replying(forOperators(() => metricsReply(metrics()))) }),
    "GET /livez": replying(() => jsonReply({ status: "ok" })),
    "GET /readyz": replying(() => readyReply(lifecycle)),
    "GET /healthz": replying(() => readyReply(lifecycle)),
  } satisfies Record<string, Route["handle"]>;
}

function forOperators(handle: RouteHandler): RouteHandler {
  return (exchange, caller, name) => (caller.isOperator === true ? handle(exchange, caller, name) : notFound());
}

/** @throws CallError `not_found` */
function notFound(): never {
  throw new CallError("not_found", "There is nothing at this path. See /openapi.json for the routes.");
}

const notFoundRoute: Route = { isFor: "callers", handle: notFound };

function respond(c: Context, answer: Answer, route: Route): Promise<Response> {
  // Only our own server's requests are read from the socket: elsewhere others may have read or replaced the Request.
  const { incoming, outgoing } = (c.env ?? {}) as { incoming?: Partial<Readable>; outgoing?: ServerResponse };
  const exchange =
    incoming instanceof BodyMessage
      ? exchangeOfIncoming(incoming, outgoing)
      : exchangeOfRequest(c.req, incoming?.readableDidRead === true);
  const name = c.req.param("name") ?? "";
  return new Promise((resolve) => answer(exchange, route, name, (_exchange, reply) => resolve(toResponse(reply))));
}

function metricsReply(text: string): HttpReply {
  return { status: 200, headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" }, body: text };
}

function readyReply(lifecycle: Lifecycle): HttpReply {
  if (lifecycle.state === "serving") return jsonReply({ status: "ok" });
  return errorReply(new CallError("shutting_down", "The service is not ready: it is ending."));
}

function refuseMethod(allow: string): HttpReply {
  return errorReply(new CallError("method_not_allowed", `This path takes ${allow}.`), { allow });
}

function refuseWhileEnding(lifecycle: Lifecycle): void {
  if (lifecycle.state !== "ending") return;
  throw new CallError(
    "shutting_down",
    "The service is ending and takes no new calls. Nothing ran; call again in a moment.",
  );
}

function refuseUnlessRegistry(options: unknown): void {
  const registry: unknown =
    typeof options === "object" && options !== null && "registry" in options ? options.registry : undefined;
  if (!isRegistry(registry)) {
    throw new TypeError(
      "createApp takes an object with a registry: createApp({ registry: createRegistry({ tools }) })",
    );
  }
}
