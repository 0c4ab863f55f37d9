import { unlessAborted } from "../signals.ts";
import { createOllamaAccumulator } from "../../dialects/ollama/stream.ts";
import { allTools } from "./all-tools.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";

/** The part of `new Ollama()` of the npm package ollama that is used. */
export interface OllamaClient {
  chat(request: object): PromiseLike<unknown>;
}

/** What the client returns for a stream. Leaving the loop over it does not close it; its `abort` does. */
interface OllamaStream extends AsyncIterable<unknown> {
  abort?(): void;
}

/**
 * A model that Ollama runs.
 * @param client `new Ollama({ host })` of the npm package ollama. It accepts no signal: without a stream, an abort ends
 * the wait, and the server continues to work.
 * @param name such as `qwen3`
 * @param options more fields of the request, such as `{ think: true, options: { temperature: 0 } }`
 * @example
 * ```ts
 * import { Ollama } from "ollama";
 * import { createAgent, ollama } from "toolhost/agent";
 *
 * const agent = createAgent({ model: ollama(new Ollama({ host: "http://127.0.0.1:11434" }), "qwen3"), tools: "http://127.0.0.1:8080" });
 * const { text } = await agent.chat("What time is it in Tokyo?");
 * ```
 */
export function ollama(client: OllamaClient, name: string, options: Readonly<Record<string, unknown>> = {}): Model {
  const { tools: own, ...more } = options;
  const ask = (request: ModelRequest, stream: boolean): PromiseLike<unknown> => {
    request.signal?.throwIfAborted();
    return client.chat({
      ...more,
      ...request.toolChoice,
      ...toolsOf(own, request),
      model: name,
      messages: messagesOf(request),
      stream,
    });
  };
  return {
    dialect: "ollama",
    generate: async (request) => await unlessAborted(ask(request, false), request.signal),
    stream: (request) => readStream(() => ask(request, true), request.signal),
  };
}

async function* readStream(
  ask: () => PromiseLike<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelPart> {
  const opening = ask() as PromiseLike<OllamaStream>;
  const abort = () =>
    void opening.then(
      (chunks) => chunks.abort?.(),
      () => undefined,
    );
  signal?.addEventListener("abort", abort, { once: true });
  const accumulator = createOllamaAccumulator();
  let isWhole = false;
  try {
    for await (const chunk of await unlessAborted(opening, signal)) {
      signal?.throwIfAborted();
      const text = accumulator.add(chunk);
      if (text !== "") yield { type: "text", text };
    }
    isWhole = true;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
    if (!isWhole) abort();
  }
  yield { type: "reply", reply: accumulator.end() };
}

/** The provider's own tools come first; an empty list is omitted. */
function toolsOf(own: unknown, { tools }: ModelRequest): { tools?: readonly unknown[] } {
  const all = allTools(own, tools);
  return all.length > 0 ? { tools: all } : {};
}

function messagesOf({ system, messages }: ModelRequest): unknown[] {
  const first = system === undefined ? [] : [{ role: "system", content: system }];
  return [...first, ...messages];
}
