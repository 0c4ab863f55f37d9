import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { markRoundedIntegers } from "../../../json/rounded-integers.ts";
import type { FloodLimit } from "../flood-limit.ts";

/** What is read of a stream of events in one turn, in bytes: events may be short, and the client's transport reads them slowly. */
const turnBytes = 8192;

export interface AnswerReading {
  /** Whether rounded integers are marked: the client's transport parses the body itself. */
  readonly marksIntegers: boolean;
  /** Of the server. */
  readonly flood: FloodLimit;
}

/** The same response, whose body is read as slowly as the limit demands. */
export function withReading(response: Response, { marksIntegers, flood }: AnswerReading): Response {
  const { body, headers, status, statusText, url, redirected } = response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  if (body === null || (!isStream && !marksIntegers)) return response;
  const mark = !marksIntegers ? (lines: string) => lines : isStream ? markEvents : markRoundedIntegers;
  const reader = createReader(mark, isStream ? flood : undefined);
  const read = new Response(body.pipeThrough(reader), { headers, status, statusText });
  return Object.defineProperties(read, { url: { value: url }, redirected: { value: redirected } });
}

/** Other fields of an event stay as they are, such as an id of digits. */
function markEvents(lines: string): string {
  return lines.replace(/^data:[^\r\n]*/gm, markRoundedIntegers);
}

/**
 * Reads whole lines, because strings of JSON contain no line breaks; and bytes as Latin-1, in which the syntax of JSON is as in UTF-8
 * and other bytes stay as they are.
 */
function createReader(
  mark: (lines: string) => string,
  flood: FloodLimit | undefined,
): TransformStream<Uint8Array, Uint8Array> {
  let parts: string[] = [];
  return new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
      if (end === 0) return void parts.push(text);
      const lines = mark(parts.join("") + text.slice(0, end));
      parts = end < text.length ? [text.slice(end)] : [];
      for (let start = 0; start < lines.length; start += turnBytes) {
        const portion = lines.slice(start, start + turnBytes);
        if (start > 0) await setImmediate();
        controller.enqueue(Buffer.from(portion, "latin1"));
        const pauseMs = flood?.take(portion.split("data:").length - 1) ?? 0;
        if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
      }
    },
    flush(controller) {
      if (parts.length > 0) controller.enqueue(Buffer.from(mark(parts.join("")), "latin1"));
    },
  });
}
