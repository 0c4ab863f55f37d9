import { isJsonObject } from "../../json/object.ts";
import { type JsonSource } from "../../json/parse.ts";
import type { CallResult } from "../dialect.ts";
import { type Finish, NotAReply, type Reply } from "../reply.ts";
import { textOf } from "../media.ts";
import { onePerId } from "../results.ts";
import { isChatMessage } from "../reading/chat-message.ts";
import { customTool, type FoundCall, toReply } from "../reading/found-calls.ts";
import { JsonNode } from "../reading/json-place.ts";
import { toolCallsOf } from "../reading/tool-calls.ts";

/** A whole chat completion, or its assistant message. @throws NotAReply */
export function readOpenAiReply(source: JsonSource): Reply {
  const root = JsonNode.rootOf(source);
  const choices = root.member("choices");
  const count = Array.isArray(choices?.value) ? choices.value.length : undefined;
  const choice = choices?.at(0);
  const message = count === undefined ? root : choice?.member("message");
  if (count !== 0 && !isChatMessage(message)) {
    throw new NotAReply("It must be a chat completion of OpenAI, or its assistant message.");
  }
  const reason = choice?.member("finish_reason")?.value;
  const listed = message === undefined ? undefined : toolCallsOf(message, choice);
  return toReply({
    source,
    calls: message === undefined ? [] : findCalls(message, listed?.calls ?? []),
    needsIds: true,
    finish: finishOf(reason, count === 0 || [root, choice].some((place) => place?.member("error")?.value != null)),
    remarks: [
      ...(listed?.remarks ?? []),
      ...(count === 0 ? ["The completion contains no choice."] : []),
      ...(count !== undefined && count > 1 ? [`The completion contains ${count} choices. The first one is used.`] : []),
      ...(typeof message?.member("refusal")?.value === "string" ? ["The model refused to answer."] : []),
      ...(reason === "content_filter" ? ["The provider's filter removed a part of the reply."] : []),
    ],
    echo: () => message?.text() ?? "",
  });
}

/** One tool message per result. */
export function writeOpenAiResults(results: readonly CallResult[]): string[] {
  return onePerId(results).map((result) => JSON.stringify({ ...result.call.resultFields, content: textOf(result) }));
}

/**
 * `length`, and what other services write: Mistral, Zhipu, and gateways that pass on the reason of the provider behind
 * them.
 */
const cutOffs = new Set(["length", "model_length", "max_tokens", "model_context_window_exceeded"]);
/** `content_filter`, and what DeepSeek, Zhipu, vLLM, SGLang, routers and gateways write. */
const stops = new Set([
  "content_filter",
  "error",
  "abort",
  "insufficient_system_resource",
  "network_error",
  "sensitive",
  "refusal",
  "function_call_filter",
]);

/** Gemini's endpoint in this format adds its own reason: `content_filter: SAFETY`. */
function finishOf(reason: unknown, hasFailed: boolean): Finish {
  const [kind = ""] = typeof reason === "string" ? reason.toLowerCase().split(":") : [];
  if (hasFailed || stops.has(kind)) return "error";
  return cutOffs.has(kind) ? "length" : "stop";
}

function* findCalls(message: JsonNode, calls: Iterable<JsonNode>): Generator<FoundCall> {
  // The field for a single call before `tool_calls` existed: some services still write it.
  const legacy = message.member("function_call");
  if (isJsonObject(legacy?.value)) {
    yield {
      id: undefined,
      name: legacy?.member("name")?.value,
      input: legacy?.member("arguments"),
      isAlone: true,
      head: (_id, name) => ({ role: "function", name }),
    };
  }
  for (const call of calls) {
    const isCustom = call.member("type")?.value === "custom";
    const named = call.member(isCustom ? "custom" : "function");
    yield {
      id: call.member("id")?.value,
      name: named?.member("name")?.value,
      input: isCustom ? undefined : named?.member("arguments"),
      refusal: isCustom ? customTool() : undefined,
      head: (id) => ({ role: "tool", tool_call_id: id }),
    };
  }
}
