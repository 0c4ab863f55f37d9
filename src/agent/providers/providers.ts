import type { ModelDialect } from "../models/model.ts";
import { anthropicProvider } from "./anthropic.ts";
import { geminiProvider } from "./gemini.ts";
import { ollamaProvider } from "./ollama.ts";
import { openAiProvider } from "./openai.ts";
import { openAiResponsesProvider } from "./openai-responses.ts";
import type { Provider } from "./provider.ts";

/** Every provider, by its dialect. */
export const providers: Readonly<Record<ModelDialect, Provider>> = {
  openai: openAiProvider,
  "openai-responses": openAiResponsesProvider,
  anthropic: anthropicProvider,
  gemini: geminiProvider,
  ollama: ollamaProvider,
};
