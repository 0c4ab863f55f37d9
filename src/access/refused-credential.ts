/**
 * Why a key or a token was refused: the cause of an `unauthorized` or a `not_found`, for the log. The answer does not say
 * it, because that would help an attacker.
 */
export class RefusedCredential extends Error {
  override readonly name = "RefusedCredential";
}
