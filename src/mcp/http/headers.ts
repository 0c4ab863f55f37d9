import type { RegisteredTool } from "../../core/registry/registered-tool.ts";
import { type Exchange, header } from "../../http/exchange.ts";
import { ownMember } from "../../json/object.ts";
import type { Incoming } from "../incoming.ts";
import { ProtocolError, rpcCodes } from "../json-rpc.ts";
import { isPrimitive } from "../../dialects/mcp/parameter-headers.ts";
import { parameterHeadersOf } from "../parameter-headers.ts";
import { decodeHeaderValue } from "../../dialects/mcp/header-value.ts";

/**
 * Checks that the headers of a modern request repeat its body: proxies may act on them. Rules:
 * modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http, "Server Validation".
 * @param find the tool, if it exists for the caller
 * @throws ProtocolError
 */
export function checkHeaders(
  { id, method, params }: Incoming,
  exchange: Exchange,
  find: (name: string) => RegisteredTool | undefined,
): void {
  const mismatch = (name: string, problem: string): ProtocolError =>
    new ProtocolError(rpcCodes.headerMismatch, `Header mismatch: ${name} ${problem}.`, id);
  const compare = (name: string, value: string | undefined, expected: string | number | boolean): void => {
    if (value === undefined) throw mismatch(name, "is missing");
    if (!isSame(decodeHeaderValue(value), expected)) throw mismatch(name, "differs from the body");
  };
  // Whether it differs is known already.
  if (header(exchange, "mcp-protocol-version") === undefined) throw mismatch("MCP-Protocol-Version", "is missing");
  const named = header(exchange, "mcp-method");
  if (named === undefined) throw mismatch("Mcp-Method", "is missing");
  if (named !== method) throw mismatch("Mcp-Method", "differs from the body");
  const { name, arguments: args } = params;
  if (method !== "tools/call" || typeof name !== "string") return;
  compare("Mcp-Name", header(exchange, "mcp-name"), name);
  const entry = find(name);
  if (entry === undefined) return;
  for (const { header: parameter, path } of parameterHeadersOf(entry)) {
    const argument = path.reduce(ownMember, args);
    const value = exchange.headers[parameter];
    // The check of the arguments finds what is none of these.
    if (isPrimitive(argument)) compare(parameter, typeof value === "string" ? value : undefined, argument);
    else if (value !== undefined) throw mismatch(parameter, "has no value in the body");
  }
}

/** Integers are compared as numbers: `42.0` is 42. */
function isSame(text: string | undefined, value: string | number | boolean): boolean {
  if (typeof value === "number") return text !== undefined && /^-?\d+(?:\.0+)?$/.test(text) && Number(text) === value;
  return text === String(value);
}
