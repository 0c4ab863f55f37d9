/**
 * Why a key or a token opens nothing: the cause of an `unauthorized`, for the log. The answer does not say it, as it
 * would help who tries others.
 */
export class RefusedCredential extends Error {
  override readonly name = "RefusedCredential";
}
