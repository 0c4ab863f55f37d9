import { type Context, Hono } from "hono";
import { CallError } from "../core/errors.ts";
import type { Registry } from "../core/registry.ts";
import type { SourceStatus } from "../sources/source.ts";
import { BodyMessage } from "./body-message.ts";
import { type Exchange, exchangeOfIncoming, exchangeOfRequest } from "./exchange.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { invokeCalls } from "./invoke-calls.ts";
import { invokeTool } from "./invoke-tool.ts";
import { createOpenApiDocument } from "./openapi-document.ts";
import { readQuery } from "./query.ts";
import { errorReply, jsonReply, type Reply } from "./reply.ts";
import { type Lifecycle, servingLifecycle } from "./lifecycle.ts";
import { describeStatus } from "./status.ts";
import { createToolList, findListed } from "./tool-list.ts";

export interface AppOptions extends GuardOptions {
  readonly registry: Registry;
  /** The largest body of a call. @default 1048576 */
  readonly maxBodyBytes?: number;
  /** What `/status` tells of where tools come from. @default what the registry holds */
  readonly sources?: () => readonly SourceStatus[];
  /** The text of `/metrics`. @default none: the route answers 404 */
  readonly metrics?: () => string;
  /** Whether the service starts, serves or ends. @default serving */
  readonly lifecycle?: Lifecycle;
  /** Told of faults of the service itself, which its answers do not explain. */
  readonly onFault?: (error: unknown) => void;
}

export type Route = (exchange: Exchange, caller: string, name: string) => Reply | Promise<Reply>;

/** Answers requests by route, whatever carries them. */
export interface Answering {
  /** Hands the reply to `deliver`, and never rejects: a fault is an answer too. */
  answer<T>(exchange: Exchange, route: Route, name: string, isOpen: boolean, deliver: (reply: Reply) => T): Promise<T>;
  readonly invoke: Route;
}

export type App = Hono & { readonly answering: Answering };

/** Every route of the service. The app also runs in memory (`app.request`) and inside another Hono app. */
export function createApp(options: AppOptions): App {
  const { registry, maxBodyBytes = 1_048_576, lifecycle = servingLifecycle, metrics } = options;
  const answering = createAnswering(options, lifecycle);
  const calling = { maxBodyBytes };
  const invoke: Route = (exchange, caller, name) => {
    refuseWhileEnding(lifecycle);
    return invokeTool(registry, calling, exchange, caller, name);
  };

  const app = new Hono();
  const on = (method: "GET" | "POST", path: string, route: Route, isOpen = false): void => {
    const serve = (c: Context): Promise<Response> => respond(c, answering, route, isOpen);
    app.on(method, path, serve);
    allowed.set(path, [...(allowed.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  };
  const allowed = new Map<string, string[]>();

  on("GET", "/tools", createToolList(registry));
  on("GET", "/tools/:name", (exchange, _caller, name) => {
    readQuery(exchange.query, []);
    const entry = findListed(registry, name);
    return jsonReply(entry.declaration, { vary: "Authorization", "cache-control": "private, no-cache" });
  });
  on("POST", "/tools/:name/invoke", invoke);
  on("POST", "/calls", (exchange, caller) => {
    refuseWhileEnding(lifecycle);
    return invokeCalls(registry, calling, exchange, caller);
  });
  on("GET", "/status", () => jsonReply(describeStatus(registry, options.sources)));
  on("GET", "/openapi.json", createOpenApiDocument(registry));
  if (metrics !== undefined) {
    on("GET", "/metrics", () => ({
      status: 200,
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      body: metrics(),
    }));
  }
  const ready: Route = () =>
    lifecycle.state === "serving"
      ? jsonReply({ status: "ok" })
      : errorReply(new CallError("shutting_down", "The service is not ready: it is ending."));
  on("GET", "/livez", () => jsonReply({ status: "ok" }), true);
  on("GET", "/readyz", ready, true);
  on("GET", "/healthz", ready, true);

  for (const [path, methods] of allowed) {
    const allow = [...methods, "OPTIONS"].join(", ");
    app.all(path, (c) =>
      respond(c, answering, (exchange) => refuseMethod(exchange, allow), c.req.method === "OPTIONS"),
    );
  }
  app.notFound((c) =>
    respond(
      c,
      answering,
      () => {
        throw new CallError("not_found", "There is nothing at this path. The routes stand in /openapi.json.");
      },
      false,
    ),
  );
  return Object.assign(app, { answering: { ...answering, invoke } });
}

function createAnswering(options: AppOptions, lifecycle: Lifecycle): Omit<Answering, "invoke"> {
  const guard = createGuard(options);
  return {
    async answer(exchange, route, name, isOpen, deliver) {
      lifecycle.opened();
      let reply: Reply;
      try {
        guard.checkRequest(exchange);
        reply = await route(exchange, isOpen ? "anonymous" : guard.checkCaller(exchange), name);
      } catch (error) {
        if (!(error instanceof CallError)) options.onFault?.(error);
        reply = errorReply(
          error instanceof CallError ? error : new CallError("internal", "The service failed. The fault is logged."),
        );
      }
      reply.headers["x-request-id"] = exchange.requestId;
      if (lifecycle.state !== "serving") reply.headers["connection"] = "close";
      try {
        return deliver(reply);
      } finally {
        lifecycle.closed();
      }
    },
  };
}

function respond(c: Context, answering: Omit<Answering, "invoke">, route: Route, isOpen: boolean): Promise<Response> {
  // Only our own server's requests are read from the socket: elsewhere others may have read or replaced the Request.
  const incoming = (c.env as { incoming?: unknown } | undefined)?.incoming;
  const exchange = incoming instanceof BodyMessage ? exchangeOfIncoming(incoming) : exchangeOfRequest(c.req);
  return answering.answer(exchange, route, c.req.param("name") ?? "", isOpen, toResponse);
}

function toResponse({ body, status, headers }: Reply): Response {
  return new Response(body, { status, headers });
}

function refuseMethod(exchange: Exchange, allow: string): Reply {
  if (exchange.method === "OPTIONS") return { status: 204, headers: { allow }, body: null };
  return errorReply(new CallError("method_not_allowed", `This path takes ${allow}.`), { allow });
}

function refuseWhileEnding(lifecycle: Lifecycle): void {
  if (lifecycle.state === "ending") {
    throw new CallError(
      "shutting_down",
      "The service is ending and takes no new calls. Nothing ran; call again in a moment.",
    );
  }
}
