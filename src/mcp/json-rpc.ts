import { repairJsonText } from "../json/well-formed.ts";

/** What pairs a request with its response (JSON-RPC 2.0). MCP allows no other type, and no null. */
export type RequestId = string | number;

/** The codes of JSON-RPC 2.0, section 5.1, and of MCP: modelcontextprotocol.io/specification/2026-07-28/schema. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  headerMismatch: -32_020,
  missingClientCapability: -32_021,
  unsupportedRevision: -32_022,
} as const;

export type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes];

/** An error in place of a result. */
export interface RpcError {
  readonly code: RpcCode;
  readonly message: string;
  readonly data?: unknown;
  /** Of the request, as far as it is known. */
  readonly id?: RequestId | undefined;
}

/** A request that the protocol answers with an error in place of a result. */
export class ProtocolError extends Error implements RpcError {
  override readonly name = "ProtocolError";
  readonly code: RpcCode;
  readonly data: unknown;
  /** Of the request, as far as it is known. */
  readonly id: RequestId | undefined;

  constructor(code: RpcCode, message: string, id?: RequestId, data?: unknown) {
    super(message);
    this.code = code;
    this.id = id;
    this.data = data;
  }
}

/** A response with a result, as JSON text. @param result JSON text */
export function resultMessage(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** A response with an error, as JSON text. Without a known id it has none, as MCP's schema wants it. */
export function errorMessage({ code, message, data, id }: RpcError): string {
  const error = { code, message, ...(data !== undefined && { data }) };
  return repairJsonText(JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), error }));
}

/** A notification, as JSON text. */
export function notificationMessage(method: string, params: object): string {
  return repairJsonText(JSON.stringify({ jsonrpc: "2.0", method, params }));
}
