import { setImmediate as nextTurn } from "node:timers/promises";
import type { HttpReply } from "./http-reply.ts";

/** In characters. A longer answer is written piece by piece; a shorter one is one string, which costs less. */
const longLength = 262_144;
const pieceLength = 65_536;

/**
 * An answer of JSON whose text comes in parts. A long one is written as fast as its client reads: as one text it
 * would be in memory three more times, as a string, with its head and as bytes. @param parts no part ends within a
 * surrogate pair
 */
export function textReply(parts: readonly string[]): HttpReply {
  const headers: Record<string, string> = { "content-type": "application/json" };
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length < longLength) return { status: 200, headers, body: parts.join("") };
  headers["content-length"] = String(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  return { status: 200, headers, body: streamOf(parts) };
}

function streamOf(parts: readonly string[]): ReadableStream<Uint8Array> {
  const pieces = piecesOf(parts);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // The whole answer would otherwise be written in one turn of the event loop if its client reads fast.
      await nextTurn();
      const { value } = pieces.next();
      if (value === undefined) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
    cancel() {
      // The part that is not written is freed.
      pieces.return(undefined);
    },
  });
}

function* piecesOf(parts: readonly string[]): Generator<string, undefined> {
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      const end = pieceEnd(part, at + pieceLength);
      yield part.slice(at, end);
      at = end;
    }
  }
}

/** Half a surrogate pair cannot be written as UTF-8. */
function pieceEnd(text: string, end: number): number {
  const isCut = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isCut ? end - 1 : end;
}
