import { isPublicUrl, publicUrlRule } from "../access/public-url.ts";
import { egressEntryRule, isEgressEntry } from "../egress/rules.ts";
import { hostEntryRule, isHostEntry } from "../net/host-entry.ts";
import { isLoopback } from "../net/loopback.ts";
import { isOriginEntry, originEntryRule } from "../net/origin.ts";
import { parseUrl } from "../net/parse-url.ts";
import { isServerUrl, serverUrlRule } from "./server-url.ts";
import { isSourceName, sourceNameRule } from "./source-name.ts";
import { isUpstreamUrl, upstreamUrlRule } from "./upstream-url.ts";
import { isForwardable, isHeaderName } from "../sources/request/header-names.ts";

/** A format of `toolhost.schema.json` that JSON Schema does not have. */
export interface OwnFormat {
  readonly accepts: (text: string) => boolean;
  /** Completes "must be". */
  readonly rule: string;
}

/**
 * By the name that the schema uses. These are the functions that read the values later, so a file that passes here does
 * not fail there.
 */
export const ownFormats: Readonly<Record<string, OwnFormat>> = {
  "toolhost-egress-entry": { accepts: isEgressEntry, rule: egressEntryRule },
  "toolhost-host-entry": { accepts: isHostEntry, rule: hostEntryRule },
  "toolhost-origin-entry": { accepts: isOriginEntry, rule: originEntryRule },
  "toolhost-public-url": { accepts: isPublicUrl, rule: publicUrlRule },
  "toolhost-jwks-url": {
    accepts: isJwksUrl,
    rule: "an https URL without a password in it (http only for this machine)",
  },
  "toolhost-source-name": { accepts: isSourceName, rule: sourceNameRule },
  "toolhost-upstream-url": { accepts: isUpstreamUrl, rule: upstreamUrlRule },
  "toolhost-mcp-url": { accepts: isServerUrl, rule: serverUrlRule },
  "toolhost-static-header": { accepts: isHeaderName, rule: "an object whose keys are names of headers" },
  "toolhost-forwarded-header": {
    accepts: isForwardable,
    rule: "the name of a header that may be forwarded, which excludes Authorization, Cookie, Host, Accept, Idempotency-Key, headers of the connection, and names that begin with Accept-, Content-, Proxy-, Mcp- or Toolhost-",
  },
};

/** Whoever can change this response can create keys: it must use TLS, except on the machine itself. */
function isJwksUrl(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined) return false;
  const { protocol, hostname, username, password } = url;
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
