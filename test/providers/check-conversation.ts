import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import { checkAnthropicConversation } from "./anthropic-conversation.ts";
import type { ConversationBreach, ConversationCheck } from "./conversation.ts";
import { checkGeminiConversation } from "./gemini-conversation.ts";
import { checkOllamaConversation } from "./ollama-conversation.ts";
import { checkOpenAIConversation } from "./openai-conversation.ts";
import { checkResponsesConversation } from "./openai-responses-conversation.ts";

const checks: Readonly<Record<RecordedDialect, ConversationCheck>> = {
  openai: checkOpenAIConversation,
  "openai-responses": checkResponsesConversation,
  anthropic: checkAnthropicConversation,
  gemini: checkGeminiConversation,
  ollama: checkOllamaConversation,
};

/**
 * What a provider would refuse in a conversation: `messages`, `input` or `contents`, as its request calls them.
 * @param sent what the provider answered before, whole. @default nothing
 */
export function checkConversation(
  dialect: RecordedDialect,
  messages: readonly unknown[],
  sent: readonly unknown[] = [],
): ConversationBreach[] {
  return checks[dialect](messages, sent);
}
