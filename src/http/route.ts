import type { Authenticate } from "../access/authenticate.ts";
import type { Caller } from "../core/caller.ts";
import type { CallError } from "../errors/errors.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpReply } from "./http-reply.ts";

/** HEAD is answered by the route for GET, OPTIONS by every path. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Who may use a route:
 * - `callers`: a request with a key or a token, if the service has any;
 * - `operators`: callers that are operators. For others the path does not exist;
 * - `anyone`: a request without a key, as for static files. Its Host and its Origin are checked;
 * - `anyHost`: also a request with any Host, as for health checks;
 * - a function: a request with another credential, such as a worker's token. It gets the value of `Authorization`.
 */
export type Audience = "callers" | "operators" | "anyone" | "anyHost" | Authenticate;

/** What answers requests. Everything that the service does with a route follows from these fields. */
export interface Endpoint<Path extends string = string> {
  readonly isFor: Audience;
  /** The pattern of the path; absent for requests that no route is for. */
  readonly path?: Path;
  /** Headers that pages of allowed origins may send, beside those that every route takes. @default [] */
  readonly requestHeaders?: readonly string[];
  /** Headers of answers that such pages may read, beside those that every answer may have. @default [] */
  readonly responseHeaders?: readonly string[];
  /** A request runs tools. While the service ends it is refused: 503 `shutting_down`. @default false */
  readonly startsCalls?: boolean;
  /**
   * It is asked as often as calls are made: our own server passes its requests by Hono. Only for a path without parameters.
   * @default false
   */
  readonly isFrequent?: boolean;
  /**
   * The service waits for the answer before it ends. `false` is for long polls and streams without an end, which are cut
   * off then unless they end at `responder.ending`. @default true
   */
  readonly holdsDrain?: boolean;
  /** Writes the answer to a request that is refused or fails, for protocols with errors of their own. @default errorReply */
  readonly errorReply?: (error: CallError) => HttpReply;
  /**
   * Answers a request.
   * @param parameters the parts of the path that the pattern names, percent-decoded
   * @returns the reply, a promise of it, or undefined if the responder gets it
   * @throws CallError, also as a rejection; anything else is a fault of the service
   */
  handle(
    exchange: Exchange,
    caller: Caller,
    parameters: PathParameters<Path>,
    responder: Responder,
  ): HttpReply | Promise<HttpReply> | undefined;
}

/** A method and a path of the service. */
export interface Route<Path extends string = string> extends Endpoint<Path> {
  readonly method: Method;
  /**
   * Such as `/tools`, or `/jobs/:id` with a parameter. `/docs/*` is for every path that begins with `/docs/`, and has what
   * follows as the parameter `*`. If several patterns fit a path, the most exact one counts, whatever the order of the routes.
   */
  readonly path: Path;
}

/** By the names in the pattern: `/workers/:id/calls/:callId` has `id` and `callId`. */
export type PathParameters<Path extends string> = Readonly<Record<ParameterName<Path>, string>>;

type ParameterName<Path extends string> = string extends Path
  ? string
  : Path extends `${infer First}/${infer Rest}`
    ? ParameterName<First> | ParameterName<Rest>
    : Path extends `:${infer Name}`
      ? Name
      : Path extends "*"
        ? "*"
        : never;

/** Is called once, with the reply or the failure. A call-back, because a promise here costs a twentieth of a call. */
export interface Responder {
  /** A reply that cannot be sent, such as one with a malformed header, becomes the failure `internal`. */
  reply(reply: HttpReply): void;
  fail(error: unknown): void;
  /**
   * Aborts when the service ends, for routes that do not hold the drain: a poll answers then that there is nothing, and a
   * stream closes. All requests share it: remove your listener when yours is answered.
   */
  readonly ending: AbortSignal;
}
