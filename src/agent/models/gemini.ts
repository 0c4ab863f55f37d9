import { joinSignals } from "../../core/join-signals.ts";
import { isJsonObject } from "../../core/json.ts";
import { createGeminiAccumulator, plainResponse } from "../streams/gemini.ts";
import { allTools } from "./all-tools.ts";
import type { Model, ModelRequest } from "./model.ts";
import { streamParts } from "./stream-parts.ts";

/** What of Google's SDK is used: `GoogleGenAI` fits, for the Gemini API and for Vertex AI. */
export interface GeminiClient {
  readonly models: {
    generateContent(request: object): PromiseLike<unknown>;
    generateContentStream(request: object): PromiseLike<unknown>;
  };
}

/**
 * A model of Gemini.
 * @param options fields of the SDK's `config`, such as `temperature`, `thinkingConfig` or tools of the provider
 */
export function gemini(client: GeminiClient, name: string, options: Readonly<Record<string, unknown>> = {}): Model {
  return {
    dialect: "gemini",
    async generate(request) {
      const response = await client.models.generateContent(requestOf(request, request.signal));
      return isJsonObject(response) ? plainResponse(response) : response;
    },
    async *stream(request) {
      // The SDK leaves the connection open where its stream is not read to the end.
      const closing = new AbortController();
      const signal = joinSignals([closing.signal, ...(request.signal === undefined ? [] : [request.signal])]);
      try {
        const chunks = await client.models.generateContentStream(requestOf(request, signal));
        yield* streamParts(chunks, createGeminiAccumulator(), request.signal);
      } finally {
        closing.abort();
      }
    },
  };

  function requestOf({ messages, system, tools: own, toolChoice }: ModelRequest, signal?: AbortSignal): object {
    const { tools: given, toolConfig, ...fields } = options;
    const tools = allTools(given, own);
    const config = {
      ...fields,
      ...(system !== undefined && { systemInstruction: system }),
      ...(tools.length > 0 && { tools, toolConfig: mergeChoice(toolConfig, toolChoice["toolConfig"]) }),
      ...(signal !== undefined && { abortSignal: signal }),
    };
    return { model: name, contents: messages, config };
  }
}

/** Options may hold more than which tools are chosen, such as `streamFunctionCallArguments`. */
function mergeChoice(given: unknown, choice: unknown): unknown {
  if (!isJsonObject(given) || !isJsonObject(choice)) return choice ?? given;
  const { functionCallingConfig: calling } = given;
  const { mode: _, allowedFunctionNames: __, ...kept } = isJsonObject(calling) ? calling : {};
  const { functionCallingConfig: chosen } = choice;
  return { ...given, ...choice, functionCallingConfig: { ...kept, ...(isJsonObject(chosen) && chosen) } };
}
