import { createAnthropicAccumulator } from "../../dialects/anthropic/stream.ts";
import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { allTools } from "./all-tools.ts";
import type { Model, ModelRequest } from "./model.ts";
import { streamParts } from "./stream-parts.ts";

/** The part of Anthropic's SDK that is used. `Anthropic`, its `beta`, `AnthropicVertex` and `AnthropicBedrock` fit. */
export interface AnthropicClient {
  readonly messages: {
    create(body: object, options?: { signal?: AbortSignal | null }): PromiseLike<unknown>;
  };
}

/** The API requires a limit. The SDK refuses more than 21 333 without a stream, and for some models more than this. */
const maxTokens = 8192;
const thinkingTypes = new Set<unknown>(["enabled", "adaptive"]);

/**
 * A model of Anthropic's Messages API.
 * @param options more fields of the request, such as `max_tokens` (8192 by default), `thinking` or tools of the provider
 * @example
 * ```ts
 * import Anthropic from "@anthropic-ai/sdk";
 * import { createAgent, anthropic } from "toolhost/agent";
 *
 * const agent = createAgent({ model: anthropic(new Anthropic(), "claude-opus-4-5"), tools: "http://127.0.0.1:8080" });
 * const { text } = await agent.chat("What time is it in Tokyo?");
 * ```
 */
export function anthropic(
  client: AnthropicClient,
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): Model {
  const { thinking } = options;
  return {
    dialect: "anthropic",
    thinking: isJsonObject(thinking) && thinkingTypes.has(thinking["type"]),
    generate: async (request) => client.messages.create(bodyOf(request, false), { signal: request.signal ?? null }),
    async *stream(request) {
      const events = await client.messages.create(bodyOf(request, true), { signal: request.signal ?? null });
      yield* streamParts(events, createAnthropicAccumulator(), request.signal);
    },
  };

  function bodyOf({ messages, system, tools: own, toolChoice, followUp = {} }: ModelRequest, stream: boolean): object {
    const { tools: given, tool_choice: chosen, ...fields } = options;
    const tools = allTools(given, own);
    return {
      max_tokens: maxTokens,
      ...followUp,
      ...fields,
      ...mergeContainer(fields["container"], followUp["container"]),
      ...(system !== undefined && { system }),
      ...(tools.length > 0 && { tools, ...mergeChoice(chosen, toolChoice) }),
      model: name,
      messages,
      stream,
    };
  }
}

/** Options may name another container, or only the skills to load into one. */
function mergeContainer(given: unknown, id: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(given)) return id !== undefined && given == null ? { container: id } : {};
  return { container: { ...(id !== undefined && { id }), ...knownIn(given) } };
}

function knownIn(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

/** The agent sets the choice; the options may only require that calls are made one at a time. */
function mergeChoice(given: unknown, choice: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { tool_choice: chosen } = choice;
  if (!isJsonObject(given)) return choice;
  if (!isJsonObject(chosen)) return { tool_choice: given };
  const { disable_parallel_tool_use: isSingle } = given;
  return {
    tool_choice: {
      ...chosen,
      ...(isSingle === true && chosen["type"] !== "none" && { disable_parallel_tool_use: true }),
    },
  };
}
