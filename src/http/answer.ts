import { notify } from "../async/notify.ts";
import { RefusedCredential } from "../access/refused-credential.ts";
import type { Caller } from "../core/caller.ts";
import { CallError } from "../errors/errors.ts";
import { beginPoll, beginStream, endPoll, isNewest } from "./node/connections.ts";
import type { Exchange } from "./exchange.ts";
import type { Guard } from "./guard/guard.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { type Refusal, refusalOf } from "./guard/refusal.ts";
import { errorReply, type HttpReply } from "./http-reply.ts";
import type { Endpoint, PathParameters, Responder } from "./route.ts";

/** Sends a reply to the client. Must not throw. */
export type SendReply = (exchange: Exchange, reply: HttpReply) => void;

/** Answers a request by its route, whatever the transport. A fault is an answer too. */
export type Answer = (
  exchange: Exchange,
  endpoint: Endpoint,
  parameters: PathParameters<string>,
  send: SendReply,
) => void;

export interface AnswerObserver {
  /** Receives faults of the service itself, which the answers do not contain. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Receives each request that is answered with an error status, except those of health routes. Must not throw. */
  readonly onRefused?: ((refusal: Refusal) => void) | undefined;
}

export function createAnswer(guard: Guard, lifecycle: Lifecycle, { onFault, onRefused }: AnswerObserver): Answer {
  /** A class, because there is one for every request, and its methods must not be made for each. */
  class PendingReply implements Responder {
    readonly #exchange: Exchange;
    readonly #endpoint: Endpoint;
    readonly #send: SendReply;
    /** Only the first reply counts: both the timer and the successor of a poll may end it. */
    #isDone = false;

    constructor(exchange: Exchange, endpoint: Endpoint, send: SendReply) {
      this.#exchange = exchange;
      this.#endpoint = endpoint;
      this.#send = send;
    }

    reply(reply: HttpReply): void {
      if (this.#isDone) return;
      try {
        finish(this.#exchange, this.#endpoint, reply, this.#send);
        this.#isDone = true;
      } catch (error) {
        this.fail(error);
      }
    }

    fail(error: unknown): void {
      if (this.#isDone) return;
      this.#isDone = true;
      const known = error instanceof CallError ? error : toFault(error);
      const { errorReply: write = errorReply } = this.#endpoint;
      try {
        finish(this.#exchange, this.#endpoint, write(known), this.#send, known);
      } catch (second) {
        // The route's own function for errors failed.
        const fault = toFault(second);
        finish(this.#exchange, this.#endpoint, errorReply(fault), this.#send, fault);
      }
    }

    get ending(): AbortSignal {
      return lifecycle.ending;
    }
  }

  return (exchange, endpoint, parameters, send) => {
    if (endpoint.holdsDrain === false) beginPoll(exchange);
    else lifecycle.opened();
    const pending = new PendingReply(exchange, endpoint, send);
    try {
      const caller = guard.admit(exchange, endpoint.isFor);
      if (!(caller instanceof Promise)) return handle(exchange, endpoint, caller, parameters, pending);
      caller
        .then((known) => handle(exchange, endpoint, known, parameters, pending))
        .catch((error: unknown) => pending.fail(error));
    } catch (error) {
      pending.fail(error);
    }
  };

  function handle(
    exchange: Exchange,
    endpoint: Endpoint,
    caller: Caller,
    parameters: PathParameters<string>,
    pending: PendingReply,
  ): void {
    if (endpoint.startsCalls === true && lifecycle.state === "ending") throw shuttingDown();
    const reply = endpoint.handle(exchange, caller, parameters, pending);
    if (reply === undefined) return;
    if (!(reply instanceof Promise)) return pending.reply(reply);
    reply.then((made) => pending.reply(made)).catch((error: unknown) => pending.fail(error));
  }

  function finish(exchange: Exchange, endpoint: Endpoint, reply: HttpReply, send: SendReply, error?: CallError): void {
    reply.headers["x-request-id"] = exchange.requestId;
    guard.addCorsHeaders(exchange, reply.headers);
    if (lifecycle.state !== "serving" && isNewest(exchange)) reply.headers["connection"] = "close";
    send(exchange, reply);
    if (endpoint.holdsDrain !== false) lifecycle.closed();
    else if (!(reply.body instanceof ReadableStream)) endPoll(exchange);
    else beginStream(exchange);
    if (reply.status >= 400 && onRefused !== undefined && endpoint.isFor !== "anyHost") {
      const refusal = refusalOf(exchange, endpoint.path, reply, error?.code, reasonOf(error));
      if (refusal !== undefined) notify(() => onRefused(refusal));
    }
  }

  function toFault(error: unknown): CallError {
    onFault?.(error);
    return new CallError("internal", "The service failed. The error is in its log.");
  }
}

/** The error for a call that arrives, completely or in part, during the shutdown. */
export function shuttingDown(): CallError {
  return new CallError(
    "shutting_down",
    "The service is shutting down and accepts no new calls. Nothing ran; call again in a moment.",
  );
}

function reasonOf(error: CallError | undefined): string | undefined {
  return error?.cause instanceof RefusedCredential ? error.cause.message : undefined;
}
