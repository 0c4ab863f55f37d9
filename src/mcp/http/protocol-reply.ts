import { readPublicUrl } from "../../access/public-url.ts";
import { failedOutcome } from "../../core/outcome.ts";
import type { CallError } from "../../errors/errors.ts";
import type { DoorSettings } from "../../http/door.ts";
import { errorReply, type HttpReply } from "../../http/http-reply.ts";
import { textReply } from "../../http/long-text.ts";
import { JsonSyntaxError } from "../../json/parse.ts";
import { errorMessage, type ProtocolError, rpcCodes } from "../json-rpc.ts";
import { metadataPath } from "./resource-metadata.ts";
import type { Era } from "../revisions.ts";

/** A response with a result or an error. The status is that of the transport: 200. */
export function messageReply(message: string): HttpReply {
  return textReply([message]);
}

/** The answer to messages that need no response. */
export function accepted(): HttpReply {
  return { status: 202, headers: {}, body: "" };
}

/** The answer to a message that is refused. Clients distinguish the eras of a server by the status and the code. */
export function protocolReply(error: ProtocolError, era: Era | undefined): HttpReply {
  const isUnknown = error.code === rpcCodes.methodNotFound;
  const status = !isUnknown ? 400 : era === "modern" ? 404 : 200;
  return { status, headers: { "content-type": "application/json" }, body: errorMessage(error) };
}

/**
 * Writes the answer to a request that is refused before its message is read: the status and headers of any other route, and
 * an error of JSON-RPC, whose `data` is the error object.
 */
export function createErrorReply(
  settings: Pick<DoorSettings, "publicUrl" | "tokenIssuer">,
): (error: CallError) => HttpReply {
  const challenge = challengeOf(settings);
  return (error) => {
    const { headers, status } = errorReply(error);
    if (error.code === "unauthorized" && headers["www-authenticate"] !== undefined) {
      headers["www-authenticate"] += challenge;
    }
    const { message, data } = { message: error.message, data: failedOutcome(error).error };
    const code = codeOf(error, status);
    return { status, headers, body: errorMessage({ code, message, data, id: undefined }) };
  };
}

/** Where a client finds who issues tokens (RFC 9728, section 5.1). */
function challengeOf({ publicUrl, tokenIssuer }: Pick<DoorSettings, "publicUrl" | "tokenIssuer">): string {
  if (publicUrl === undefined || tokenIssuer === undefined) return "";
  return `, resource_metadata="${readPublicUrl(publicUrl).url}${metadataPath}"`;
}

function codeOf({ cause }: CallError, status: number): ProtocolError["code"] {
  if (cause instanceof JsonSyntaxError) return rpcCodes.parseError;
  return status >= 500 ? rpcCodes.internalError : rpcCodes.invalidRequest;
}
