import type { ModelDialect } from "../../agent/models/model.ts";
import { anthropicProvider } from "../anthropic/conversation.ts";
import { geminiProvider } from "../gemini/conversation.ts";
import { ollamaProvider } from "../ollama/conversation.ts";
import { openaiProvider } from "../openai/conversation.ts";
import { openaiResponsesProvider } from "../openai-responses/conversation.ts";
import type { Provider } from "./conversation.ts";

/** Every provider, by its dialect. */
export const providers: Readonly<Record<ModelDialect, Provider>> = {
  openai: openaiProvider,
  "openai-responses": openaiResponsesProvider,
  anthropic: anthropicProvider,
  gemini: geminiProvider,
  ollama: ollamaProvider,
};
