import { markRoundedIntegers } from "../../../json/rounded-integers.ts";

/**
 * The same response with its rounded integers marked: the client's transport parses the body itself. Strings of JSON contain no line
 * breaks, so a body is read line by line, and passed on up to its last line break.
 */
export function withMarkedIntegers(response: Response): Response {
  const { body, headers, status, statusText, url, redirected } = response;
  if (body === null) return response;
  const mark = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "") ? markEvents : markRoundedIntegers;
  const marked = new Response(body.pipeThrough(createMarker(mark)), { headers, status, statusText });
  return Object.defineProperties(marked, { url: { value: url }, redirected: { value: redirected } });
}

/** Other fields of an event stay as they are, such as an id of digits. */
function markEvents(lines: string): string {
  return lines.replace(/^data:[^\r\n]*/gm, markRoundedIntegers);
}

/** Reads bytes as Latin-1, in which the syntax of JSON is as in UTF-8 and other bytes stay as they are. */
function createMarker(mark: (lines: string) => string): TransformStream<Uint8Array, Uint8Array> {
  let parts: string[] = [];
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
      if (end > 0) {
        controller.enqueue(Buffer.from(mark(parts.join("") + text.slice(0, end)), "latin1"));
        parts = [];
      }
      if (end < text.length) parts.push(text.slice(end));
    },
    flush(controller) {
      if (parts.length > 0) controller.enqueue(Buffer.from(mark(parts.join("")), "latin1"));
    },
  });
}
