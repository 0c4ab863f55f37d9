import { RefusedCredential } from "../access/refused-credential.ts";
import { type Caller, anonymous } from "../core/caller.ts";
import { CallError } from "../core/errors.ts";
import { isNewest } from "./node/connections.ts";
import type { Exchange } from "./exchange.ts";
import type { Guard } from "./guard/guard.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { type Refusal, refusalOf } from "./guard/refusal.ts";
import { errorReply, type HttpReply } from "./http-reply.ts";

/** What a path does. `name` is the tool's that stands in it, or empty. */
export interface Route {
  /** Whom it is for: a caller that the guard knows; any page that may come here, as OPTIONS; or any Host too, as health. */
  readonly isFor: "callers" | "pages" | "anyHost";
  /** Its path, as `/tools/:name`. Absent for requests that no route is for. */
  readonly path?: string;
  handle(exchange: Exchange, caller: Caller, name: string, later: Responder): void;
}

/** What most paths do: reply at once, or by a promise. */
export type RouteHandler = (exchange: Exchange, caller: Caller, name: string) => HttpReply | Promise<HttpReply>;

/** Takes what a request came to, once. It spares a call the promise of its reply, a twentieth of its cost. */
export interface Responder {
  reply(reply: HttpReply): void;
  fail(error: unknown): void;
}

/** Writes a reply to what the request came by. Must not throw. */
export type SendReply = (exchange: Exchange, reply: HttpReply) => void;

/** Answers requests by their route, whatever carries them. A fault is an answer too. */
export type Answer = (exchange: Exchange, route: Route, name: string, deliver: SendReply) => void;

/** The way of a route that replies so. */
export function replying(handle: RouteHandler): Route["handle"] {
  return (exchange, caller, name, later) => {
    const reply = handle(exchange, caller, name);
    if (!(reply instanceof Promise)) return later.reply(reply);
    reply.then(
      (made) => later.reply(made),
      (error: unknown) => later.fail(error),
    );
  };
}

export interface AnswerObserver {
  /** Told of faults of the service itself, which its answers do not explain. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Told of each request that is answered with an error status, but for health routes. Must not throw. */
  readonly onRefused?: ((refusal: Refusal) => void) | undefined;
}

export function createAnswer(guard: Guard, lifecycle: Lifecycle, { onFault, onRefused }: AnswerObserver): Answer {
  /** A class, because there is one for every request, and its methods must not be made for each. */
  class PendingReply implements Responder {
    readonly #exchange: Exchange;
    readonly #route: Route;
    readonly #deliver: SendReply;

    constructor(exchange: Exchange, route: Route, deliver: SendReply) {
      this.#exchange = exchange;
      this.#route = route;
      this.#deliver = deliver;
    }

    reply(reply: HttpReply): void {
      finish(this.#exchange, this.#route, reply, this.#deliver);
    }

    fail(error: unknown): void {
      finish(this.#exchange, this.#route, explain(error), this.#deliver, error);
    }
  }

  return (exchange, route, name, deliver) => {
    lifecycle.opened();
    const later = new PendingReply(exchange, route, deliver);
    try {
      guard.checkRequest(exchange);
      const caller = checkCaller(exchange, route);
      if (!(caller instanceof Promise)) return route.handle(exchange, caller, name, later);
      caller.then((known) => route.handle(exchange, known, name, later)).catch((error: unknown) => later.fail(error));
    } catch (error) {
      later.fail(error);
    }
  };

  function checkCaller(exchange: Exchange, { isFor }: Route): Caller | Promise<Caller> {
    if (isFor === "callers") return guard.checkCaller(exchange);
    if (isFor === "pages") guard.checkPlace(exchange);
    else guard.checkOrigin(exchange);
    return anonymous;
  }

  function finish(exchange: Exchange, route: Route, reply: HttpReply, deliver: SendReply, error?: unknown): void {
    reply.headers["x-request-id"] = exchange.requestId;
    guard.addCorsHeaders(exchange, reply.headers);
    if (lifecycle.state !== "serving" && isNewest(exchange)) reply.headers["connection"] = "close";
    deliver(exchange, reply);
    lifecycle.closed();
    if (reply.status >= 400 && onRefused !== undefined && route.isFor !== "anyHost") {
      onRefused(refusalOf(exchange, route.path, reply, reasonOf(error)));
    }
  }

  function explain(error: unknown): HttpReply {
    if (error instanceof CallError) return errorReply(error);
    onFault?.(error);
    return errorReply(new CallError("internal", "The service failed. The fault is logged."));
  }
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof CallError && error.cause instanceof RefusedCredential ? error.cause.message : undefined;
}
