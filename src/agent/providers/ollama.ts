import { isJsonObject } from "../../core/json.ts";
import type { Provider } from "./provider.ts";

/** Ollama's /api/chat. Source: ollama/ollama, api/types.go: counts of zero are left out. */
export const ollamaProvider: Provider = {
  userItem: (content) => ({ role: "user", content }),
  read(reply) {
    const { message, done_reason: reason, error, prompt_eval_count: read, eval_count: written } = fieldsOf(reply);
    const { content } = fieldsOf(message);
    return {
      text: typeof content === "string" ? content : "",
      finish: error != null ? "error" : reason === "length" ? "length" : "stop",
      usage: { inputTokens: countOf(read), outputTokens: countOf(written) },
    };
  },
};

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
