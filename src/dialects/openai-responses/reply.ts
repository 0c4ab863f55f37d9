import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { type JsonSource } from "../../json/parse.ts";
import { insideOfArray } from "../../json/slice.ts";
import type { CallResult } from "../dialect.ts";
import { type Finish, NotAReply, type Reply } from "../reply.ts";
import { mediaOf, piecesOf, showsImages, textsOf } from "../media.ts";
import { onePerId } from "../results.ts";
import { readArgumentsText } from "../reading/arguments.ts";
import { customTool, cutOff, type FoundCall, isId, toReply } from "../reading/found-calls.ts";
import { JsonNode } from "../reading/json-place.ts";

const unfinished = new Set<unknown>(["queued", "in_progress"]);
/** Items that the caller's own program must handle or approve. All other items are the provider's own work, or text. */
const callersWork = new Set<unknown>([
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "mcp_approval_request",
]);

/** A whole response, its `output`, or one item of it. @throws NotAReply */
export function readResponsesReply(source: JsonSource): Reply {
  const root = JsonNode.rootOf(source);
  const output = Array.isArray(root.value) ? root : root.member("output");
  const status = root.member("status")?.value;
  const isWhole = output !== undefined && output !== root;
  if (isWhole ? !isItemList(output.value) : !isOutput(root.value)) {
    throw new NotAReply("It must be a response of OpenAI's Responses API, or its output array.");
  }
  if (isWhole && unfinished.has(status)) throw new NotAReply("The response is not complete yet.");
  const items = output === undefined ? [root] : output.elements();
  const values = output === undefined ? [root.value] : (output.value as unknown[]);
  const isCompleted = isWhole && status === "completed";
  return toReply({
    source,
    calls: findCalls(items, isCompleted, answeredIn(values)),
    needsIds: true,
    finish: isWhole ? finishOf(root) : "stop",
    remarks: [...(isWhole && status === "failed" ? [failureIn(root)] : []), ...remarksOn(values)],
    echo: () => (output === undefined ? root.text() : insideOfArray(output.text())),
  });
}

/** One output item per result, paired by the call's `call_id`: an item's own `id` belongs to the provider. */
export function writeResponsesResults(results: readonly CallResult[]): string[] {
  return onePerId(results).map((result) =>
    JSON.stringify({ ...result.call.resultFields, output: writeOutput(result) }),
  );
}

function writeOutput(result: CallResult): unknown {
  const pieces = piecesOf(result, showsImages);
  if (mediaOf(pieces).length === 0) return textsOf(pieces).join("\n");
  return pieces.map((piece) =>
    "text" in piece
      ? { type: "input_text", text: piece.text }
      : { type: "input_image", image_url: `data:${piece.mimeType};base64,${piece.data}` },
  );
}

function finishOf(response: JsonNode): Finish {
  const status = response.member("status")?.value;
  const reason = response.member("incomplete_details")?.member("reason")?.value;
  if (status === "incomplete" && (reason === undefined || reason === "max_output_tokens")) return "length";
  const isGood = status == null || status === "completed";
  return isGood && response.member("error")?.value == null ? "stop" : "error";
}

function failureIn(response: JsonNode): string {
  const message = response.member("error")?.member("message")?.value;
  return typeof message === "string"
    ? `The response has failed: ${message.slice(0, 1000)}`
    : "The response has failed, and does not say why.";
}

function isItemList(output: unknown): boolean {
  return Array.isArray(output) && output.every(isJsonObject);
}

/** Outside of a response, only the items show what it is. */
function isOutput(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isItem) : isItem(value);
}

function isItem(item: unknown): boolean {
  // Messages of Anthropic have a `type` and a `stop_reason`.
  if (!isJsonObject(item) || Object.hasOwn(item, "stop_reason")) return false;
  const { type, role } = item;
  if (type === undefined) return role === "assistant" && !Object.hasOwn(item, "tool_calls");
  if (type === "message") return role == null || role === "assistant";
  // Events of a stream have a type too. It is `error`, or contains a dot: `response.completed`.
  return typeof type === "string" && type !== "error" && !type.includes(".");
}

/**
 * @param isCompleted the provider reports that the response is complete: then a call is complete if its arguments are,
 * even without a done event
 * @param answered the ids of the calls that are not run, because the same output contains their results
 */
function* findCalls(items: Iterable<JsonNode>, isCompleted: boolean, answered: Set<unknown>): Generator<FoundCall> {
  for (const item of items) {
    const type = item.member("type")?.value;
    const isCustom = type === "custom_tool_call";
    if ((type !== "function_call" && !isCustom) || answered.has(item.member("call_id")?.value)) continue;
    const status = item.member("status")?.value;
    const isOpen = status === "in_progress" && !(isCompleted && hasArguments(item));
    const caller = item.member("caller");
    yield {
      id: item.member("call_id")?.value,
      name: item.member("name")?.value,
      input: isCustom ? undefined : item.member("arguments"),
      refusal: isCustom ? customTool() : isOpen || status === "incomplete" ? cutOff() : undefined,
      head: (id) => ({
        type: isCustom ? "custom_tool_call_output" : "function_call_output",
        call_id: id,
        ...(caller !== undefined && caller.value !== null && { caller: caller.value }),
      }),
    };
  }
}

function answeredIn(items: readonly unknown[]): Set<unknown> {
  const outputs = items
    .filter(isJsonObject)
    .filter(({ type }) => /^(?:function|custom_tool)_call_output$/.test(String(type)));
  return new Set(outputs.map(({ call_id: id }) => id).filter(isId));
}

/** Whether the arguments are complete: they are an object, or text that can be parsed. */
function hasArguments(item: JsonNode): boolean {
  const written = item.member("arguments")?.value;
  if (typeof written !== "string") return isJsonObject(written);
  return written.trim() !== "" && readArgumentsText(written).refusal === undefined;
}

function remarksOn(items: readonly unknown[]): string[] {
  const types = new Set(
    items
      .filter(isJsonObject)
      .filter(isCallersWork)
      .map(({ type }) => type),
  );
  const remarks = [...types].map(
    (type) => `The reply contains a ${String(type)}, which only your own program can answer.`,
  );
  return items.some(isRefusal) ? [...remarks, "The model refused to answer."] : remarks;
}

function isCallersWork({ type, execution }: JsonObject): boolean {
  return callersWork.has(type) || (type === "tool_search_call" && execution === "client");
}

function isRefusal(item: unknown): boolean {
  const content = isJsonObject(item) ? item["content"] : undefined;
  return Array.isArray(content) && content.some((part) => isJsonObject(part) && part["type"] === "refusal");
}
