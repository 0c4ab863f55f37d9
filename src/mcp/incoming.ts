import { isJsonObject, type JsonObject, ownMember } from "../json/object.ts";
import type { JsonDocument } from "../json/parse.ts";
import { describeRefusal, type JsonRefusal } from "../json/refusals.ts";
import { type RequestId, ProtocolError, rpcCodes } from "./json-rpc.ts";
import { type Era, legacyRevisions, metaKeys, modernRevisions } from "./revisions.ts";

/** A message of a client that was read, and follows the rules of its era. */
export interface Incoming {
  readonly era: Era;
  /** Absent in a notification, which gets no response. */
  readonly id: RequestId | undefined;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  /** What JSON allows in the arguments of the call and Toolhost refuses; paths are relative to the arguments. */
  readonly refusals: readonly JsonRefusal[];
}

const noMembers: JsonObject = Object.freeze({});
const argumentsPath = "/params/arguments";

/**
 * Reads a message, and decides by which era's rules.
 * @param header the revision that the transport names beside the message: over HTTP its `MCP-Protocol-Version`
 * @returns undefined for a response, which needs no answer
 * @throws ProtocolError
 */
export function readIncoming({ value, refusals }: JsonDocument, header?: string): Incoming | undefined {
  if (!isJsonObject(value)) {
    const what = Array.isArray(value)
      ? "This revision has no batches: send each message by itself."
      : "It is not an object.";
    throw new ProtocolError(rpcCodes.invalidRequest, `The message must be one JSON-RPC request. ${what}`);
  }
  const id = ownMember(value, "id");
  const method = ownMember(value, "method");
  const known = isRequestId(id) && !refusals.some(({ path }) => path === "/id") ? id : undefined;
  const invalid = (problem: string): ProtocolError => new ProtocolError(rpcCodes.invalidRequest, problem, known);
  if (ownMember(value, "jsonrpc") !== "2.0") throw invalid('The message must have "jsonrpc": "2.0".');
  if (id !== undefined && known === undefined) throw invalid("The id must be a string or an integer.");
  if (method === undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) return undefined;
  if (typeof method !== "string") throw invalid("The message must have a method.");
  const ofArguments: JsonRefusal[] = [];
  for (const refusal of refusals) {
    if (!isInside(refusal.path, argumentsPath)) throw invalid(`The message is refused: ${describeRefusal(refusal)}.`);
    ofArguments.push({ ...refusal, path: refusal.path.slice(argumentsPath.length) });
  }
  const params = ownMember(value, "params") ?? noMembers;
  if (!isJsonObject(params)) throw new ProtocolError(rpcCodes.invalidParams, "params must be an object.", known);
  const meta = ownMember(params, "_meta");
  const era = readEra(known, meta, header);
  return { era, id: known, method, params, meta: isJsonObject(meta) ? meta : noMembers, refusals: ofArguments };
}

/**
 * A claim in `_meta`, or a header that names another revision than the legacy ones, selects the modern era, with its rules for
 * `_meta`. Source: modelcontextprotocol.io/specification/2026-07-28/basic/versioning.
 */
function readEra(id: RequestId | undefined, meta: unknown, header: string | undefined): Era {
  const claimed = ownMember(meta, metaKeys.protocolVersion);
  if (claimed === undefined && (header === undefined || legacyRevisions.includes(header))) return "legacy";
  const invalidMeta = (key: string, type: string): ProtocolError =>
    new ProtocolError(rpcCodes.invalidParams, `params._meta must have ${key}, ${type}.`, id);
  const requested = claimed ?? header;
  if (claimed !== undefined && typeof claimed !== "string") throw invalidMeta(metaKeys.protocolVersion, "a string");
  // A header that differs from the claim is found first: which of the two is unknown would not be clear.
  if (claimed !== undefined && header !== undefined && claimed !== header) {
    throw new ProtocolError(
      rpcCodes.headerMismatch,
      `The header MCP-Protocol-Version and ${metaKeys.protocolVersion} in params._meta differ.`,
      id,
    );
  }
  if (!modernRevisions.includes(requested as string)) throw unsupportedRevision(requested as string, id);
  if (claimed === undefined) throw invalidMeta(metaKeys.protocolVersion, "a string");
  if (!isJsonObject(ownMember(meta, metaKeys.clientCapabilities))) {
    throw invalidMeta(metaKeys.clientCapabilities, "an object");
  }
  return "modern";
}

function unsupportedRevision(requested: string, id: RequestId | undefined): ProtocolError {
  const data = { supported: modernRevisions, requested };
  return new ProtocolError(rpcCodes.unsupportedRevision, "Unsupported protocol version", id, data);
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function isInside(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}
