import type { ErrorBody } from "../../errors/errors.ts";
import type { Issue } from "../../schema/issues.ts";

/**
 * The members of the `CallToolResult` of a failed call, as JSON text: the text is for the model, `_meta` for the client program.
 * There is no `structuredContent`, because clients check that against the tool's `outputSchema`.
 * @param meta other members of `_meta`, as JSON text
 */
export function writeErrorMembers(error: ErrorBody, meta: string): string {
  const content = JSON.stringify([{ type: "text", text: describeError(error) }]);
  const others = meta === "" ? "" : `${meta},`;
  return `"content":${content},"isError":true,"_meta":{${others}"toolhost/error":${JSON.stringify(error)}}`;
}

/** Each issue gets a line, because the message names only the first few. */
function describeError({ message, action, issues = [] }: ErrorBody): string {
  const lines = [message, `Action: ${action}`];
  if (issues.length > 0) lines.push("Issues:", ...issues.map(describeIssue));
  return lines.join("\n");
}

function describeIssue({ path, message, suggestion }: Issue): string {
  const isIncluded = suggestion === undefined || message.includes(`did you mean "${suggestion}"`);
  const hint = isIncluded ? "" : ` (did you mean "${suggestion}"?)`;
  return `- ${path || "the root"}: ${message}${hint}`;
}
