import { isJsonObject } from "../../core/json.ts";
import type { ReplyCall } from "../../dialects/reply.ts";
import { textOf } from "../streams/openai.ts";
import { noUsage, type Provider, type Said } from "./provider.ts";
import { tokens } from "./tokens.ts";

/** OpenAI Chat Completions. Source: platform.openai.com/docs/api-reference/chat/object. */
export const openaiProvider: Provider = {
  userItem: (text) => ({ role: "user", content: text }),
  keep: (messages, calls) =>
    messages.map((message) => withContent(withIds(message, calls))).filter((message) => message !== undefined),
  read(reply) {
    const { choices, usage, error } = isJsonObject(reply) ? reply : {};
    const first: unknown = Array.isArray(choices) ? choices[0] : { message: reply };
    const { message, finish_reason: reason } = isJsonObject(first) ? first : { message: undefined };
    const isStopped = first === undefined || error != null;
    return {
      text: isJsonObject(message) ? textOf(message["content"]) : "",
      finish: isStopped ? "error" : readFinish(reason),
      usage: isJsonObject(usage)
        ? { inputTokens: tokens(usage["prompt_tokens"]), outputTokens: tokens(usage["completion_tokens"]) }
        : noUsage,
    };
  },
};

/** The reply's calls are those of the message; one that older services write by itself stands before the list. */
function withIds(message: unknown, calls: readonly ReplyCall[]): unknown {
  if (!isJsonObject(message) || !Array.isArray(message["tool_calls"])) return message;
  const listed = calls.slice(-message["tool_calls"].length);
  const isNamed = (call: unknown, index: number): boolean => isJsonObject(call) && call["id"] === listed[index]?.id;
  if (message["tool_calls"].every(isNamed)) return message;
  const named = message["tool_calls"].map((call: object, index) => ({ ...call, id: listed[index]?.id }));
  return { ...message, tool_calls: named };
}

/** A message without content is refused, and an empty list of calls too; some services write both. */
function withContent(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  const { tool_calls: calls, ...others } = message;
  const hasNoCalls = calls == null || (Array.isArray(calls) && calls.length === 0);
  if (!hasNoCalls) return message;
  const isEmpty = ["content", "refusal", "function_call", "audio"].every((key) => others[key] == null);
  if (isEmpty) return undefined;
  return calls === undefined ? message : others;
}

/** `error` is a word of routers, for a provider behind them that failed in the middle. */
function readFinish(reason: unknown): Said["finish"] {
  if (reason === "length") return "length";
  return reason === "content_filter" || reason === "error" ? "error" : "stop";
}
