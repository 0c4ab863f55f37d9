import type { ModelDialect } from "../models/model.ts";
import { anthropicProvider } from "./anthropic.ts";
import { geminiProvider } from "./gemini.ts";
import { ollamaProvider } from "./ollama.ts";
import { openaiProvider } from "./openai.ts";
import { openaiResponsesProvider } from "./openai-responses.ts";
import type { Provider } from "./provider.ts";

/** Every provider, by its dialect. */
export const providers: Readonly<Record<ModelDialect, Provider>> = {
  openai: openaiProvider,
  "openai-responses": openaiResponsesProvider,
  anthropic: anthropicProvider,
  gemini: geminiProvider,
  ollama: ollamaProvider,
};
