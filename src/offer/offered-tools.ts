import type { RegisteredTool } from "../core/registry/registered-tool.ts";
import type { Tool } from "../tool/tool.ts";

/** What decides how a tool runs here, such as `isolation` and `retries`, is not sent. */
const offeredFields = [
  "name",
  "description",
  "title",
  "tags",
  "parameters",
  "response",
  "annotations",
  "strict",
  "contentBlocks",
  "timeoutMs",
  "concurrency",
  "resultBytes",
] as const satisfies readonly (keyof Tool)[];

/** The tools as a worker registers them, as the text of a JSON array. */
export function offeredTools(entries: readonly RegisteredTool[]): string {
  return JSON.stringify(entries.map(({ tool }) => Object.fromEntries(offeredFields.map((name) => [name, tool[name]]))));
}
