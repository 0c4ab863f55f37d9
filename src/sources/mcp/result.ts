import { ResultWithBlocks } from "../../core/result-blocks.ts";
import { CallError } from "../../errors/errors.ts";
import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { mask } from "../credentials/mask.ts";
import { withoutStack } from "./without-stack.ts";

const maxWordsLength = 2000;

/**
 * The result of `tools/call`: its structured content with the blocks beside it that are not text, or else its blocks.
 * @throws CallError `upstream_failed` with the server's own words if the tool failed; `invalid_result` for a number that was rounded
 */
export function readResult(result: unknown, secrets: readonly string[]): unknown {
  if (!isJsonObject(result)) throw notMcp();
  const { resultType, content, structuredContent, isError } = result;
  if (resultType === "input_required") {
    throw refused(
      "The MCP server asked for input from a person, which is not possible here. Call the tool with all arguments that it needs.",
    );
  }
  if (resultType !== undefined && resultType !== "complete") throw notMcp();
  const blocks = Array.isArray(content) ? (content as unknown[]).filter(isJsonObject) : undefined;
  if (isError === true)
    throw refused(wordsOf(blocks ?? [], secrets) || "The tool of the MCP server failed without a message.");
  if (structuredContent === undefined || (structuredContent === null && blocks !== undefined && blocks.length > 0)) {
    if (blocks === undefined) throw notMcp();
    if (holdsRounded(content)) throw rounded();
    return new ResultWithBlocks({ content });
  }
  const beside = (blocks ?? []).filter(({ type }) => type !== "text");
  if (holdsRounded([structuredContent, beside])) throw rounded();
  return beside.length === 0 ? structuredContent : new ResultWithBlocks(structuredContent, beside);
}

/** What a server says, as part of a message: without stacks, and with the operator's credentials masked. */
export function toWords(text: string, secrets: readonly string[]): string {
  return withoutStack(mask(text, secrets)).trim().slice(0, maxWordsLength).toWellFormed();
}

function wordsOf(blocks: readonly JsonObject[], secrets: readonly string[]): string {
  return toWords(
    blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n"),
    secrets,
  );
}

/** The server decided: the same call would be answered in the same way. */
export function refused(message: string): CallError {
  return new CallError("upstream_failed", message, { retryable: false, action: "stop" });
}

function notMcp(): CallError {
  return refused("The MCP server answered the call with something that is not a result of MCP.");
}

/**
 * An integer that may have been rounded when it was read: as an identifier, it would name something else. Larger ones are written
 * with an exponent.
 */
function holdsRounded(root: unknown): boolean {
  const values = [root];
  // The list grows during the loop: a value of a server may be nested deeply.
  for (const value of values) {
    if (typeof value === "number") {
      if (!Number.isFinite(value)) return true;
      if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) return true;
    } else if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value))
        if (typeof member === "number" || typeof member === "object") values.push(member);
    }
  }
  return false;
}

function rounded(): CallError {
  const message = "contains an integer that cannot be represented exactly";
  return new CallError(
    "invalid_result",
    `The result of the MCP server ${message}. The result is refused, because rounding would change the number.`,
    { issues: [{ path: "", message, keyword: "json" }] },
  );
}
