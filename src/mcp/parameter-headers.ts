import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import { type ParameterHeader, readParameterHeaders } from "../dialects/mcp/parameter-headers.ts";
import { toInputSchema } from "../dialects/mcp/schema.ts";

const known = new WeakMap<RegisteredTool, readonly ParameterHeader[]>();

/** The headers of a tool's arguments, as `withValidHeaders` lists them. */
export function parameterHeadersOf(entry: RegisteredTool): readonly ParameterHeader[] {
  let headers = known.get(entry);
  if (headers === undefined) {
    headers = readParameterHeaders(toInputSchema(entry.tool.parameters).schema) ?? [];
    known.set(entry, headers);
  }
  return headers;
}
