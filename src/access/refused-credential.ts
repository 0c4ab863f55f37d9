import { CallError } from "../errors/errors.ts";

/**
 * Why a key or a token was refused: the cause of an `unauthorized` or a `not_found`, for the log. The answer does not say
 * it, because that would help an attacker.
 */
export class RefusedCredential extends Error {
  override readonly name = "RefusedCredential";
}

/**
 * The error for a request without a valid credential. Every credential that is refused has the same message.
 * @param what names the credential, such as `key`
 * @param reason why it is refused, for the log; absent if the request has none
 */
export function unauthorized(what: string, reason?: string): CallError {
  if (reason === undefined) return new CallError("unauthorized", `Send a ${what} as Authorization: Bearer <${what}>.`);
  return new CallError("unauthorized", `The ${what} is not valid.`, {}, new RefusedCredential(reason));
}
