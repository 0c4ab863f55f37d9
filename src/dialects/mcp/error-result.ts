import type { ErrorBody } from "../../errors/errors.ts";
import type { Issue } from "../../schema/issues.ts";

/**
 * The `CallToolResult` of a failed call: the text is for the model, `_meta` for the program in between. It has no
 * `structuredContent`, which clients check against the tool's `outputSchema`.
 */
export function writeErrorResult(error: ErrorBody): string {
  return JSON.stringify({
    content: [{ type: "text", text: describeError(error) }],
    isError: true,
    _meta: { "toolhost/error": error },
  });
}

/** Every issue has its line, because the message names only the first few. */
function describeError({ message, action, issues = [] }: ErrorBody): string {
  const lines = [message, `Action: ${action}`];
  if (issues.length > 0) lines.push("Issues:", ...issues.map(describeIssue));
  return lines.join("\n");
}

function describeIssue({ path, message, suggestion }: Issue): string {
  const isSaid = suggestion === undefined || message.includes(`did you mean ${suggestion}`);
  const hint = isSaid ? "" : ` (did you mean ${suggestion}?)`;
  return `- ${path || "the root"}: ${message}${hint}`;
}
