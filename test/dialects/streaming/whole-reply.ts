import type { Accumulator } from "../../../src/dialects/streaming/accumulator.ts";

/** What an accumulator makes of chunks: the whole reply, and the text on the way. */
export function accumulate(accumulator: Accumulator, chunks: readonly unknown[]): { reply: unknown; text: string } {
  const text = chunks.map((chunk) => accumulator.add(chunk)).join("");
  return { reply: accumulator.end(), text };
}
