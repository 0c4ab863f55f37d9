import { allTools } from "./all-tools.ts";
import type { ModelRequest } from "./model.ts";

/**
 * Options with the tools of a request in them: the provider's own tools come first, and the request's choice wins.
 * Without any tool there is nothing to choose: OpenAI refuses fields that would.
 */
export function withTools(
  options: Readonly<Record<string, unknown>>,
  { tools, toolChoice }: ModelRequest,
): Readonly<Record<string, unknown>> {
  const all = allTools(options["tools"], tools);
  if (all.length > 0) return { ...options, ...toolChoice, tools: all };
  const { tools: _tools, tool_choice: _choice, parallel_tool_calls: _parallel, ...others } = options;
  return others;
}
