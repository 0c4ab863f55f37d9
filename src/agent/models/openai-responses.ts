import { createOpenAiResponsesAccumulator } from "../../dialects/openai-responses/stream.ts";
import type { Model, ModelRequest } from "./model.ts";
import { withTools } from "./openai-tools.ts";
import { streamParts } from "./stream-parts.ts";

/** The part of a client that is used: `OpenAI` and `AzureOpenAI` of the npm package openai have it. */
export interface OpenAiResponsesClient {
  readonly responses: { create(body: object, options?: object): PromiseLike<unknown> };
}

/**
 * A model that uses OpenAI Responses. Each request contains the whole conversation, including its reasoning items.
 * @param options more fields of the request, such as `reasoning`, and the provider's own `tools`. With `store: false`,
 * models that reason also need `include: ["reasoning.encrypted_content"]`.
 * @example
 * ```ts
 * import OpenAI from "openai";
 * import { createAgent, openaiResponses } from "toolhost/agent";
 *
 * const agent = createAgent({ model: openaiResponses(new OpenAI(), "gpt-5.1"), tools: "http://127.0.0.1:8080" });
 * const { text } = await agent.chat("What time is it in Tokyo?");
 * ```
 */
export function openaiResponses(
  client: OpenAiResponsesClient,
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): Model {
  const toBody = (request: ModelRequest) => ({
    ...withTools(options, request),
    ...(request.system !== undefined && { instructions: request.system }),
    model: name,
    input: request.messages,
  });
  return {
    dialect: "openai-responses",
    async generate(request) {
      return client.responses.create({ ...toBody(request), stream: false }, { signal: request.signal });
    },
    async *stream(request) {
      const events = await client.responses.create({ ...toBody(request), stream: true }, { signal: request.signal });
      yield* streamParts(events as AsyncIterable<unknown>, createOpenAiResponsesAccumulator(), request.signal);
    },
  };
}
