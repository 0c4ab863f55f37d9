import { isJsonObject } from "../../core/json.ts";
import type { Provider } from "./provider.ts";
import { tokens } from "./tokens.ts";

/** Ollama's /api/chat. Source: ollama/ollama, api/types.go: counts of zero are left out. */
export const ollamaProvider: Provider = {
  userItem: (content) => ({ role: "user", content }),
  textOf(reply) {
    const { content } = fieldsOf(fieldsOf(reply)["message"]);
    return typeof content === "string" ? content : "";
  },
  usageOf(reply) {
    const { prompt_eval_count: read, eval_count: written } = fieldsOf(reply);
    return { inputTokens: tokens(read), outputTokens: tokens(written) };
  },
};

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
