import type { RegisteredTool } from "../core/registry/registered-tool.ts";

/**
 * The tools as a worker registers them, as the text of a JSON array. What decides how a tool runs here, such as `isolation` and
 * `retries`, is not sent.
 */
export function offeredTools(entries: readonly RegisteredTool[]): string {
  return JSON.stringify(entries.map(({ tool }) => offered(tool)));
}

function offered({
  name,
  description,
  title,
  tags,
  parameters,
  response,
  annotations,
  strict,
  contentBlocks,
  timeoutMs,
  concurrency,
  resultBytes,
}: RegisteredTool["tool"]): object {
  return {
    name,
    description,
    title,
    tags,
    parameters,
    response,
    annotations,
    strict,
    contentBlocks,
    timeoutMs,
    concurrency,
    resultBytes,
  };
}
