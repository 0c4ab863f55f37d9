import { refuseUnknownOptions } from "../errors/known-options.ts";
import type { AgentOptions, ChatOptions } from "./options.ts";

const agentOptions: Record<keyof AgentOptions, true> = {
  model: true,
  tools: true,
  system: true,
  maxRounds: true,
  toolChoice: true,
  signal: true,
  observer: true,
};
const chatOptions: Record<keyof ChatOptions, true> = { toolChoice: true, signal: true };

/** Names that other agent libraries use for an option. */
const synonyms: Readonly<Record<string, keyof AgentOptions>> = {
  instructions: "system",
  systemPrompt: "system",
  systemMessage: "system",
  prompt: "system",
  developer: "system",
  maxSteps: "maxRounds",
  maxTurns: "maxRounds",
  maxIterations: "maxRounds",
  maxToolRoundtrips: "maxRounds",
  abortSignal: "signal",
  llm: "model",
  functions: "tools",
};

/** @throws TypeError for an option that createAgent does not have */
export function refuseUnknownAgentOptions(options: unknown): void {
  refuseUnknownOptions("createAgent", agentOptions, options, synonyms);
}

/** @throws TypeError for an option that a chat does not have */
export function refuseUnknownChatOptions(options: unknown): void {
  refuseUnknownOptions("a chat", chatOptions, options, synonyms);
}
