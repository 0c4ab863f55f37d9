import { allTools } from "./all-tools.ts";
import type { ModelRequest } from "./model.ts";

/**
 * The options with the tools of a request added: the provider's own tools come first, and the request's choice takes
 * precedence. Without tools the fields that choose are omitted, because OpenAI refuses them.
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
