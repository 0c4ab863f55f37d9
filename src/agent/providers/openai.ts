import { isJsonObject } from "../../core/json.ts";
import { textOf } from "../streams/openai.ts";
import { noUsage, type Provider, type Said } from "./provider.ts";
import { tokens } from "./tokens.ts";

/** OpenAI Chat Completions. Source: platform.openai.com/docs/api-reference/chat/object. */
export const openaiProvider: Provider = {
  userItem: (text) => ({ role: "user", content: text }),
  keep: (messages) => messages.map(withContent).filter((message) => message !== undefined),
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
