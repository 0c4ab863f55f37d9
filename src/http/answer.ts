import { type Caller, anonymous } from "../core/caller.ts";
import { CallError } from "../core/errors.ts";
import { isNewest } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import type { Guard } from "./guard.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { errorReply, type Reply } from "./reply.ts";

/** What a path does. `name` is the tool's that stands in it, or empty. */
export interface Route {
  /** Whom it is for: a caller that the guard knows; any page that may come here, as OPTIONS; or any Host too, as health. */
  readonly isFor: "callers" | "pages" | "anyHost";
  handle(exchange: Exchange, caller: Caller, name: string): Reply | Promise<Reply>;
}

/** Writes a reply to what the request came by. Must not throw. */
export type Deliver = (exchange: Exchange, reply: Reply) => void;

/** Answers requests by their route, whatever carries them. A fault is an answer too. */
export type Answer = (exchange: Exchange, route: Route, name: string, deliver: Deliver) => void;

/** @param onFault is told of faults of the service itself, which its answers do not explain */
export function createAnswer(guard: Guard, lifecycle: Lifecycle, onFault?: (error: unknown) => void): Answer {
  // Not async: a promise that can be spared is a twentieth of a call.
  return (exchange, route, name, deliver) => {
    lifecycle.opened();
    try {
      guard.checkRequest(exchange);
      const caller = checkCaller(exchange, route);
      const reply =
        caller instanceof Promise
          ? caller.then((known) => route.handle(exchange, known, name))
          : route.handle(exchange, caller, name);
      if (!(reply instanceof Promise)) return finish(exchange, reply, deliver);
      reply.then(
        (later) => finish(exchange, later, deliver),
        (error: unknown) => finish(exchange, explain(error), deliver),
      );
    } catch (error) {
      finish(exchange, explain(error), deliver);
    }
  };

  function checkCaller(exchange: Exchange, { isFor }: Route): Caller | Promise<Caller> {
    if (isFor === "callers") return guard.checkCaller(exchange);
    if (isFor === "pages") guard.checkPlace(exchange);
    else guard.checkOrigin(exchange);
    return anonymous;
  }

  function finish(exchange: Exchange, reply: Reply, deliver: Deliver): void {
    reply.headers["x-request-id"] = exchange.requestId;
    guard.addCorsHeaders(exchange, reply.headers);
    if (lifecycle.state !== "serving" && isNewest(exchange)) reply.headers["connection"] = "close";
    deliver(exchange, reply);
    lifecycle.closed();
  }

  function explain(error: unknown): Reply {
    if (error instanceof CallError) return errorReply(error);
    onFault?.(error);
    return errorReply(new CallError("internal", "The service failed. The fault is logged."));
  }
}
