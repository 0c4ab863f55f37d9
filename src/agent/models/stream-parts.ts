import { type Accumulator, StreamError } from "../../dialects/streaming/accumulator.ts";
import type { ModelPart } from "./model.ts";

/**
 * What an SDK streams, as a model's parts. Where it is left early, the SDK's stream is left as well, and closes.
 * @throws StreamError if nothing came: a service that ignores `stream: true` answers with what is no stream
 * @throws the signal's reason where that was given: the SDKs end their streams then as if all had come
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
  if (isEmpty) throw new StreamError("The stream held no event. Does the service support streaming?");
  yield { type: "reply", reply: accumulator.end() };
}
