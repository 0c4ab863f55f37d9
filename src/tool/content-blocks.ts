import { isJsonObject, type JsonObject } from "../json/object.ts";
import { pointerToken } from "../json/pointer.ts";
import { CallError } from "../errors/errors.ts";
import { describeIssues, type Issue, maxIssues } from "../schema/issues.ts";

const maxTextLength = 2000;

/**
 * Checks the result of a tool that returns MCP's content blocks: `{"content": […], "isError"?: …}`.
 * @returns the error of the call: `invalid_result` if it is anything else, `tool_failed` with the tool's own text if
 * `isError` is true; undefined if the result is good
 */
export function refuseBlocks(result: unknown): CallError | undefined {
  const issues: Issue[] = [];
  findIssues(result, (path, message, expected) => {
    issues.push({ path, message, keyword: "contentBlocks", ...(expected !== undefined && { expected }) });
  });
  if (issues.length > 0) {
    const told = issues.slice(0, maxIssues);
    return new CallError(
      "invalid_result",
      `The tool returned something that is not {"content": [MCP content blocks]}: ${describeIssues(told)}. This is a fault of the tool; other arguments may avoid it.`,
      { issues: told },
    );
  }
  const { content, isError } = result as { readonly content: readonly JsonObject[]; readonly isError?: boolean };
  return isError === true ? new CallError("tool_failed", textOf(content)) : undefined;
}

/** Whether a block is one of MCP's, with what its type requires. */
export function isContentBlock(block: JsonObject): boolean {
  let isGood = true;
  findIssuesOfBlock(block, "", () => (isGood = false));
  return isGood;
}

type Report = (path: string, message: string, expected?: unknown) => void;

function findIssues(result: unknown, report: Report): void {
  if (!isJsonObject(result)) return report("", 'must be an object with "content"', "object");
  const { content, isError } = result;
  if (isError !== undefined && typeof isError !== "boolean") report("/isError", "must be boolean", "boolean");
  if (!Array.isArray(content)) return report("/content", "must be an array of content blocks", "array");
  content.forEach((block, index) => {
    const path = `/content/${index}`;
    if (isJsonObject(block)) findIssuesOfBlock(block, path, report);
    else report(path, "must be a content block, an object", "object");
  });
}

const kinds = ["text", "image", "audio", "resource", "resource_link"];

function findIssuesOfBlock(block: JsonObject, path: string, report: Report): void {
  const text = (key: string): void => {
    if (typeof block[key] !== "string") report(path + pointerToken(key), "must be string", "string");
  };
  switch (block["type"]) {
    case "text":
      return text("text");
    case "image":
    case "audio":
      text("mimeType");
      return isBase64(block["data"]) ? undefined : report(`${path}/data`, "must be base64 text");
    case "resource":
      return findIssuesOfResource(block["resource"], `${path}/resource`, report);
    case "resource_link":
      text("name");
      return text("uri");
    default:
      return report(`${path}/type`, `must be one of ${kinds.join(", ")}`, kinds);
  }
}

function findIssuesOfResource(resource: unknown, path: string, report: Report): void {
  if (!isJsonObject(resource)) return report(path, "must be object", "object");
  if (typeof resource["uri"] !== "string") report(`${path}/uri`, "must be string", "string");
  const { text, blob } = resource;
  if (text === undefined && blob === undefined) return report(path, 'must have "text" or "blob"');
  if (text !== undefined && typeof text !== "string") report(`${path}/text`, "must be string", "string");
  if (blob !== undefined && !isBase64(blob)) report(`${path}/blob`, "must be base64 text");
}

/** One wrong character in it makes a provider refuse the whole conversation. */
export function isBase64(data: unknown): boolean {
  return typeof data === "string" && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

function textOf(content: readonly JsonObject[]): string {
  const texts = content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
  return texts.join("\n").trim().slice(0, maxTextLength) || "The tool failed.";
}
