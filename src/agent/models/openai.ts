import { createOpenAiAccumulator } from "../../dialects/openai/stream.ts";
import type { Model, ModelRequest } from "./model.ts";
import { withTools } from "./openai-tools.ts";
import { streamParts } from "./stream-parts.ts";

/** The part of a client that is used: `OpenAI` and `AzureOpenAI` of the npm package openai have it. */
export interface OpenAiClient {
  readonly chat: { readonly completions: { create(body: object, options?: object): PromiseLike<unknown> } };
}

/**
 * A model that uses OpenAI Chat Completions, from OpenAI or any service that its client connects to.
 * @param options more fields of the request, such as `temperature`, and the provider's own `tools`. A stream asks for
 * its usage; set `stream_options: undefined` for a service that does not support this field.
 * @example
 * ```ts
 * import OpenAI from "openai";
 * import { createAgent, openai } from "toolhost/agent";
 *
 * const agent = createAgent({ model: openai(new OpenAI(), "gpt-5.1"), tools: "http://127.0.0.1:8080" });
 * const { text } = await agent.chat("What time is it in Tokyo?");
 * ```
 */
export function openai(client: OpenAiClient, name: string, options: Readonly<Record<string, unknown>> = {}): Model {
  const { stream_options: streamOptions, ...fields } = { stream_options: { include_usage: true }, ...options };
  const toBody = (request: ModelRequest) => ({
    ...withTools(fields, request),
    model: name,
    messages:
      request.system === undefined
        ? request.messages
        : [{ role: "system", content: request.system }, ...request.messages],
  });
  return {
    dialect: "openai",
    async generate(request) {
      return client.chat.completions.create({ ...toBody(request), stream: false }, { signal: request.signal });
    },
    async *stream(request) {
      const body = { ...toBody(request), stream: true, stream_options: streamOptions };
      const chunks = await client.chat.completions.create(body, { signal: request.signal });
      yield* streamParts(chunks, createOpenAiAccumulator(), request.signal);
    },
  };
}
