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

/** A handler of requests. The service's behaviour for a route follows from these fields. */
export interface Endpoint<Path extends string = string> {
  readonly isFor: Audience;
  /** The pattern of the path; absent for requests without a route. */
  readonly path?: Path;
  /** Headers that pages of allowed origins may send, in addition to those that every route accepts. @default [] */
  readonly requestHeaders?: readonly string[];
  /** Headers of answers that such pages may read, in addition to those that every answer may have. @default [] */
  readonly responseHeaders?: readonly string[];
  /** Whether a request runs tools. During the shutdown it is refused: 503 `shutting_down`. @default false */
  readonly startsCalls?: boolean;
  /**
   * Whether requests are as frequent as calls: our own server answers them without Hono. Only for GET and POST. @default false
   */
  readonly isFrequent?: boolean;
  /**
   * Whether the shutdown waits for the answer. `false` is for long polls and endless streams, which are cut off unless
   * they end at `responder.ending`. @default true
   */
  readonly holdsDrain?: boolean;
  /**
   * Writes the answer to a request that is refused or fails, for protocols with errors of their own. @default
   * errorReply
   */
  readonly errorReply?: (error: CallError) => HttpReply;
  /**
   * Answers a request.
   * @param parameters the parts of the path that the pattern names, percent-decoded
   * @returns the reply, a promise of it, or undefined if the responder gets it
   * @throws CallError, also as a rejection; any other error is a fault of the service
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
   * Such as `/tools`, or `/jobs/:id` with a parameter. `/docs/*` is for every path that begins with `/docs/`, and has
   * the rest of the path as the parameter `*`. If several patterns match a path, the most exact one is used, whatever
   * the order of the routes.
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
   * Aborts at the shutdown, for routes that the shutdown does not wait for: a poll then answers that there is nothing,
   * and a stream closes. All requests share it: remove your listener when your request is answered.
   */
  readonly ending: AbortSignal;
}
