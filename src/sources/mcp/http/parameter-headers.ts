import type { ParameterHeader } from "../../../dialects/mcp/parameter-headers.ts";
import { isJsonObject, type JsonObject } from "../../../json/object.ts";

/**
 * The arguments that a server wants in headers too. An argument that is absent has none.
 * Source: modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http, "Value Encoding".
 */
export function parameterHeaders(headers: readonly ParameterHeader[], args: JsonObject): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { header, path } of headers) {
    let value: unknown = args;
    for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      found[header] = encode(String(value));
    }
  }
  return found;
}

/** Text that a header would not keep as it is, or that looks encoded, is sent as base64. */
function encode(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/i.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
