import { joinSignals } from "../../async/join-signals.ts";
import { objectOf } from "../../dialects/conversation/objects.ts";
import { createGeminiAccumulator, plainResponse } from "../../dialects/gemini/stream.ts";
import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { allTools } from "./all-tools.ts";
import type { Model, ModelRequest } from "./model.ts";
import { streamParts } from "./stream-parts.ts";

/** The part of Google's SDK that is used: `GoogleGenAI` fits, for the Gemini API and for Vertex AI. */
export interface GeminiClient {
  /** Whether the client calls Vertex AI, which does not support all fields of the Gemini API. */
  readonly vertexai?: boolean;
  readonly models: {
    generateContent(request: object): PromiseLike<unknown>;
    generateContentStream(request: object): PromiseLike<unknown>;
  };
}

/**
 * A model of Gemini.
 * @param options fields of the SDK's `config`, such as `temperature`, `thinkingConfig` or tools of the provider
 * @example
 * ```ts
 * import { GoogleGenAI } from "@google/genai";
 * import { createAgent, gemini } from "toolhost/agent";
 *
 * const agent = createAgent({ model: gemini(new GoogleGenAI({ apiKey: "…" }), "gemini-3-pro"), tools: "http://127.0.0.1:8080" });
 * const { text } = await agent.chat("What time is it in Tokyo?");
 * ```
 */
export function gemini(client: GeminiClient, name: string, options: Readonly<Record<string, unknown>> = {}): Model {
  return {
    dialect: "gemini",
    async generate(request) {
      const response = await client.models.generateContent(requestOf(request, request.signal));
      return isJsonObject(response) ? plainResponse(response) : response;
    },
    async *stream(request) {
      // The SDK leaves the connection open if its stream is not read to the end.
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

  /**
   * The Gemini API refuses its own tools together with functions unless this field is set. Vertex AI refuses the field.
   */
  function beside(given: unknown, own: readonly JsonObject[]): object {
    const isBoth = own.length > 0 && Array.isArray(given) && given.some(isProvidersOwn);
    return isBoth && client.vertexai !== true ? { includeServerSideToolInvocations: true } : {};
  }

  function requestOf({ messages, system, tools: own, toolChoice }: ModelRequest, signal?: AbortSignal): object {
    const { tools: given, toolConfig, ...fields } = options;
    const tools = allTools(given, own);
    const choice = { ...beside(given, own), ...mergeChoice(toolConfig, toolChoice["toolConfig"]) };
    const config = {
      ...fields,
      ...(system !== undefined && { systemInstruction: system }),
      ...(tools.length > 0 && { tools, ...(Object.keys(choice).length > 0 && { toolConfig: choice }) }),
      ...(signal !== undefined && { abortSignal: signal }),
    };
    return { model: name, contents: messages, config };
  }
}

/** Whether the provider itself runs the tool. */
function isProvidersOwn(tool: unknown): boolean {
  return Object.entries(objectOf(tool)).some(
    ([key, value]) => key !== "functionDeclarations" && key !== "function_declarations" && isJsonObject(value),
  );
}

/** Options may contain more than the choice of tools, such as `streamFunctionCallArguments` or their own mode. */
function mergeChoice(given: unknown, choice: unknown): object {
  if (!isJsonObject(given) || !isJsonObject(choice)) return objectOf(choice ?? given);
  const { functionCallingConfig: chosen } = choice;
  const calling = objectOf(given["functionCallingConfig"]);
  const { mode: _, allowedFunctionNames: __, ...kept } = calling;
  const isFree = objectOf(chosen)["mode"] === "AUTO" && calling["mode"] != null;
  return { ...given, ...choice, functionCallingConfig: isFree ? calling : { ...kept, ...objectOf(chosen) } };
}
