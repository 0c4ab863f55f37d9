import type { Json } from "../rules/breach.ts";
import { objectsIn } from "../conversation.ts";
import { objectOf, pieces, without } from "./pieces.ts";

/**
 * A generateContent response as chunks, each a response of its own: text in pieces, all other parts whole, one a chunk.
 * Source: the types of @google/genai 2, and public recordings of streams.
 */
export function cutGemini(turn: Json): string[] {
  const head = without(turn, "candidates", "usageMetadata");
  const counted = objectOf(turn["usageMetadata"]);
  const begun = without(counted, "candidatesTokenCount", "thoughtsTokenCount");
  const chunks = objectsIn(turn["candidates"]).flatMap(candidateChunks);
  if (chunks.length === 0) return [write(turn)];
  return chunks.map((candidate, place) => {
    const usageMetadata = place === chunks.length - 1 ? counted : begun;
    return write({ candidates: [candidate], usageMetadata, ...head });
  });
}

export function write(data: unknown): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}

/** Why it ended, and all that is told of the whole, stands in the last chunk. */
function candidateChunks(candidate: Json): Json[] {
  const { content, index } = candidate;
  const { parts, ...about } = objectOf(content);
  const cut = objectsIn(parts).flatMap(partPieces);
  if (cut.length === 0) return [candidate];
  return cut.map((part, place) => ({
    content: { parts: [part], ...about },
    ...(place === cut.length - 1 ? without(candidate, "content") : { index }),
  }));
}

/** A signature stands in the last piece of its part. */
function partPieces(part: Json): Json[] {
  const texts = pieces(part["text"]);
  if (texts.length === 0) return [part];
  const unsigned = without(part, "thoughtSignature");
  return texts.map((text, place) => ({ ...(place === texts.length - 1 ? part : unsigned), text }));
}
