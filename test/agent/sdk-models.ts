import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { onTestFinished } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import type { ChatOptions } from "../../src/agent/options.ts";
import { anthropic } from "../../src/agent/models/anthropic.ts";
import { gemini } from "../../src/agent/models/gemini.ts";
import type { Model } from "../../src/agent/models/model.ts";
import { ollama } from "../../src/agent/models/ollama.ts";
import { openaiResponses } from "../../src/agent/models/openai-responses.ts";
import { openai } from "../../src/agent/models/openai.ts";
import type { ChatResult } from "../../src/agent/rounds.ts";
import { startProvider } from "../providers/start-provider.ts";
import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";

type Options = Readonly<Record<string, unknown>>;

export const dialects: readonly RecordedDialect[] = ["openai", "openai-responses", "anthropic", "gemini", "ollama"];

/** A model behind the official client, which asks once: what fails is seen. */
export const sdkModels: Readonly<Record<RecordedDialect, (url: string, options?: Options) => Model>> = {
  openai: (url, options) => openai(openaiClient(url), "gpt-5.1", options),
  "openai-responses": (url, options) => openaiResponses(openaiClient(url), "gpt-5.1", options),
  anthropic: (url, options) =>
    anthropic(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), "claude", options),
  gemini: (url, options) =>
    gemini(new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: url } }), "gemini-3-pro-preview", options),
  ollama: (url, options) => ollama(new Ollama({ host: url }), "qwen3", options),
};

function openaiClient(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: "key", maxRetries: 0 });
}

/** A strict stand-in that gives these turns, and a model that asks it. It stops with the test. */
export async function provide(dialect: RecordedDialect, turns: readonly unknown[], options: Options = {}) {
  const provider = await startProvider({ dialect, turns });
  onTestFinished(() => provider.stop());
  return { provider, model: sdkModels[dialect](provider.url, options) };
}

/** What was refused, in the provider's words. */
export function refusals({ requests }: Awaited<ReturnType<typeof startProvider>>): string[] {
  return requests.flatMap(({ breaches }) => breaches.map(({ message }) => message));
}

export interface Spoken extends ChatResult {
  /** What was given while it came; without a stream, the answer. */
  readonly pieces: readonly string[];
}

export type Say = (agent: Agent, text?: string, options?: ChatOptions) => Promise<Spoken>;

/** Both ways to talk to an agent. */
export const ways: Readonly<Record<"plain" | "streamed", Say>> = {
  async plain(agent, text, options) {
    const result = await agent.chat(text, options);
    return { ...result, pieces: [result.text] };
  },
  async streamed(agent, text, options) {
    const stream = agent.stream(text, options);
    const pieces: string[] = [];
    for await (const piece of stream) pieces.push(piece);
    return { ...(await stream.result), pieces };
  },
};
