import { type Accumulator, StreamError } from "../../dialects/streaming/accumulator.ts";
import type { ModelPart } from "./model.ts";

/**
 * Converts an SDK's stream to a model's parts. If the reader leaves early, the SDK's stream is left as well, and
 * closes.
 * @throws StreamError if it yields nothing: a service that ignores `stream: true` does not answer with a stream
 * @throws the signal's reason if it aborted: the SDKs then end their streams as if they were complete
 */
export async function* streamParts(
  chunks: unknown,
  accumulator: Accumulator,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelPart, void, undefined> {
  let isEmpty = true;
  for await (const chunk of chunks as AsyncIterable<unknown>) {
    isEmpty = false;
    const text = accumulator.add(chunk);
    if (text !== "") yield { type: "text", text };
  }
  signal?.throwIfAborted();
  if (isEmpty) throw new StreamError("The stream contained no event. Does the service support streaming?");
  yield { type: "reply", reply: accumulator.end() };
}
