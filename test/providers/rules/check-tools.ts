import { checkAnthropicTools } from "./anthropic.ts";
import type { Breach } from "./breach.ts";
import { checkGeminiTools } from "./gemini.ts";
import { checkMcpTools } from "./mcp.ts";
import { checkOllamaTools } from "./ollama.ts";
import { checkOpenAITools } from "./openai.ts";

const checks = {
  openai: (tools: unknown) => checkOpenAITools(tools, "chat"),
  "openai-responses": (tools: unknown) => checkOpenAITools(tools, "responses"),
  anthropic: checkAnthropicTools,
  gemini: checkGeminiTools,
  ollama: checkOllamaTools,
  mcp: checkMcpTools,
};

export type ProviderName = keyof typeof checks;

/** What a provider would refuse in a request's `tools`. */
export function checkTools(provider: ProviderName, tools: unknown): Breach[] {
  return checks[provider](tools);
}
