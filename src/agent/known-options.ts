import { closest } from "../schema/suggest.ts";
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
const foreignNames: Readonly<Record<string, keyof AgentOptions>> = {
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

/** @throws TypeError for an option that createAgent does not have: otherwise it would be ignored without a message */
export function refuseUnknownOptions(options: unknown): void {
  refuse("createAgent", agentOptions, options);
}

/** @throws TypeError for an option that a chat does not have */
export function refuseUnknownChatOptions(options: unknown): void {
  refuse("a chat", chatOptions, options);
}

function refuse(taker: string, known: Readonly<Record<string, true>>, options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`The options of ${taker} must be an object.`);
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const foreign = Object.hasOwn(foreignNames, name) ? foreignNames[name]! : undefined;
    const meant = foreign !== undefined && Object.hasOwn(known, foreign) ? foreign : closest(name, Object.keys(known));
    const hint = meant === undefined ? `It has ${Object.keys(known).join(", ")}.` : `Did you mean ${meant}?`;
    throw new TypeError(`${name} is not an option of ${taker}. ${hint}`);
  }
}
