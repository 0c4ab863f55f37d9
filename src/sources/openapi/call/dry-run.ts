import type { JsonObject } from "../../../json/object.ts";
import type { RequestPlan } from "../../request/plan.ts";
import { type Additions, compileRequest } from "../../request/write-request.ts";
import { createCredentials, type CredentialOptions, type UpstreamAuth } from "../../credentials/credentials.ts";

/**
 * The request of a call as text, for `--dry-run`: nothing is sent, no token is asked for, and it is written with masks in place of
 * the operator's secrets. Any static header may be one.
 * @throws CallError `invalid_arguments`, as the call would
 */
export function describeRequest(plan: RequestPlan, base: string, options: CredentialOptions, args: JsonObject): string {
  const { auth, headers = {}, forward = [] } = options;
  const masked = createCredentials({
    ...(auth !== undefined && { auth: maskAuth(auth) }),
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, mask])),
    forward,
  });
  const forwarded = Object.fromEntries(forward.map((name) => [name.toLowerCase(), "(as it comes)"]));
  const token = auth !== undefined && "oauth2" in auth ? mask : undefined;
  const request = compileRequest(
    plan,
    base,
    masked.taken,
  )(args, withMaskedCookie(masked.additions(forwarded, token), headers));
  const lines = [`${request.method} ${request.url}`, ...request.headers.map(([name, value]) => `${name}: ${value}`)];
  const { body } = request;
  if (body === undefined) return `${lines.join("\n")}\n`;
  return `${lines.join("\n")}\n\n${typeof body === "string" ? body : bytesText(body)}\n`;
}

const mask = "masked";

function maskAuth(auth: UpstreamAuth): UpstreamAuth {
  if ("bearer" in auth) return { bearer: mask };
  if ("basic" in auth) return { basic: { username: auth.basic.username, password: mask } };
  return "apiKey" in auth ? { apiKey: { ...auth.apiKey, value: mask } } : auth;
}

/** A static `Cookie` header is masked whole, so that its names are not shown either. */
function withMaskedCookie(additions: Additions, headers: Readonly<Record<string, string>>): Additions {
  return Object.keys(headers).some((name) => name.toLowerCase() === "cookie")
    ? { ...additions, cookie: mask }
    : additions;
}

/** Multipart bodies are mostly text; files in them may be bytes. */
function bytesText(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return `(${body.byteLength} bytes)`;
  }
}
