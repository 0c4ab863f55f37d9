import { anthropicConversation } from "../anthropic/conversation.ts";
import type { ModelDialect } from "../dialect.ts";
import { geminiConversation } from "../gemini/conversation.ts";
import { ollamaConversation } from "../ollama/conversation.ts";
import { openaiConversation } from "../openai/conversation.ts";
import { openaiResponsesConversation } from "../openai-responses/conversation.ts";
import type { ProviderConversation } from "./conversation.ts";

/** Every provider, by its dialect. */
export const conversations: Readonly<Record<ModelDialect, ProviderConversation>> = {
  openai: openaiConversation,
  "openai-responses": openaiResponsesConversation,
  anthropic: anthropicConversation,
  gemini: geminiConversation,
  ollama: ollamaConversation,
};
