import type { ErrorBody } from "../../errors/errors.ts";
import type { Issue } from "../../schema/issues.ts";

/**
 * The `CallToolResult` of a failed call: the text is for the model, `_meta` for the client program. It has no
 * `structuredContent`, because clients check that against the tool's `outputSchema`.
 */
export function writeErrorResult(error: ErrorBody): string {
  return JSON.stringify({
    content: [{ type: "text", text: describeError(error) }],
    isError: true,
    _meta: { "toolhost/error": error },
  });
}

/** Each issue gets a line, because the message names only the first few. */
function describeError({ message, action, issues = [] }: ErrorBody): string {
  const lines = [message, `Action: ${action}`];
  if (issues.length > 0) lines.push("Issues:", ...issues.map(describeIssue));
  return lines.join("\n");
}

function describeIssue({ path, message, suggestion }: Issue): string {
  const isIncluded = suggestion === undefined || message.includes(`did you mean ${suggestion}`);
  const hint = isIncluded ? "" : ` (did you mean ${suggestion}?)`;
  return `- ${path || "the root"}: ${message}${hint}`;
}
