import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { responseText } from "../streams/openai-responses.ts";
import { noUsage, type Provider, type Said } from "./provider.ts";
import { tokens } from "./tokens.ts";

/** OpenAI Responses. Source: platform.openai.com/docs/api-reference/responses/object. */
export const openaiResponsesProvider: Provider = {
  userItem: (text) => ({ role: "user", content: text }),
  // A reasoning item is refused without what it led to.
  keep: (items) =>
    items.slice(0, items.findLastIndex((item) => !isJsonObject(item) || item["type"] !== "reasoning") + 1),
  read(reply) {
    const response = isJsonObject(reply) ? reply : { output: reply };
    const { output = [reply], usage } = response;
    return {
      text: responseText(output),
      finish: readFinish(response),
      usage: isJsonObject(usage)
        ? { inputTokens: tokens(usage["input_tokens"]), outputTokens: tokens(usage["output_tokens"]) }
        : noUsage,
    };
  },
};

function readFinish({ status, incomplete_details: details, error }: JsonObject): Said["finish"] {
  if (status === "incomplete") {
    return isJsonObject(details) && details["reason"] === "max_output_tokens" ? "length" : "error";
  }
  return status === "failed" || status === "cancelled" || error != null ? "error" : "stop";
}
