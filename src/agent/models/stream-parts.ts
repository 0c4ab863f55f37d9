import type { Accumulator } from "../streams/accumulator.ts";
import type { ModelPart } from "./model.ts";

/**
 * A provider's stream as a model's. Whoever stops reading it closes that of the SDK.
 * @throws the signal's reason where the SDK ends an aborted stream as if it were over
 */
export async function* toModelParts(
  chunks: unknown,
  accumulator: Accumulator,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelPart, undefined> {
  for await (const chunk of chunks as AsyncIterable<unknown>) {
    const text = accumulator.add(chunk);
    if (text !== "") yield { type: "text", text };
  }
  signal?.throwIfAborted();
  yield { type: "reply", reply: accumulator.end() };
}
