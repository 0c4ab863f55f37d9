import { type Caller, anonymous } from "../core/caller.ts";
import { CallError } from "../core/errors.ts";
import type { Exchange } from "./exchange.ts";
import type { Guard } from "./guard.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { errorReply, type Reply } from "./reply.ts";

/** What a path does. `name` is the tool's that stands in it, or empty. */
export interface Route {
  /** Needs no key. */
  readonly isOpen: boolean;
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
      const caller = route.isOpen ? anonymous : guard.checkCaller(exchange);
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

  function finish(exchange: Exchange, reply: Reply, deliver: Deliver): void {
    reply.headers["x-request-id"] = exchange.requestId;
    if (lifecycle.state !== "serving") reply.headers["connection"] = "close";
    deliver(exchange, reply);
    lifecycle.closed();
  }

  function explain(error: unknown): Reply {
    if (error instanceof CallError) return errorReply(error);
    onFault?.(error);
    return errorReply(new CallError("internal", "The service failed. The fault is logged."));
  }
}
