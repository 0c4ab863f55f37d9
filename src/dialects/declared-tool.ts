import { withoutResponse } from "../tool/prepared-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { RegisteredTool } from "../core/registry/registered-tool.ts";

const unenforced = new WeakMap<RegisteredTool, Tool>();

/**
 * The tool as formats declare it and write its results: without a schema of the result that nobody enforces. Clients of MCP
 * check each result against the schema that was listed, and would refuse what the operator lets pass.
 */
export function declaredToolOf(entry: RegisteredTool): Tool {
  const { tool, response, toleratesResults } = entry;
  if ((response !== undefined && !toleratesResults) || !("response" in tool)) return tool;
  let bare = unenforced.get(entry);
  if (bare === undefined) unenforced.set(entry, (bare = withoutResponse(tool)));
  return bare;
}
