import type { ErrorCode } from "../../errors/errors.ts";
import type { Exchange } from "../exchange.ts";
import type { HttpReply } from "../http-reply.ts";

/** A request that was answered with an error status. Contains nothing of its query, its body or a secret. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly status: number;
  readonly requestId: string;
  readonly method?: string | undefined;
  /** The pattern of the path, such as `/tools/:name/invoke`; absent if there is no such route. */
  readonly route?: string | undefined;
  /** The client's address, if the request came over TCP. */
  readonly remote?: string | undefined;
  /** The reason why a key or a token was refused, which the answer does not contain. */
  readonly reason?: string | undefined;
}

/**
 * @param code of the error; absent if a route made the answer itself; the answer's headers then contain the code
 * @returns undefined for an answer in the route's own protocol, without a code of the error table
 */
export function refusalOf(
  exchange: Exchange,
  route: string | undefined,
  { status, headers }: HttpReply,
  code = headers["toolhost-outcome"] as ErrorCode | undefined,
  reason?: string,
): Refusal | undefined {
  if (code === undefined) return undefined;
  const { method, requestId, incoming } = exchange;
  return { code, status, requestId, method, route, remote: incoming?.socket?.remoteAddress, reason };
}
