import type { HttpReply } from "./http-reply.ts";

const keepAliveMs = 15_000;
/** What a slow reader may leave unread, in bytes, before it is not offered any more events. */
const maxUnreadBytes = 262_144;

/** Writes the events of one stream. After its end, or if its reader has left, nothing happens. */
export interface EventWriter {
  /** Writes an event that the reader needs. */
  send(text: string): void;
  /** Writes an event that a slow reader does without. */
  offer(text: string): void;
  end(): void;
}

/**
 * An answer of server-sent events (text/event-stream, WHATWG HTML section 9.2), with a comment every 15 s.
 * @param begin writes the events, now or later
 * @param onLeave called if the reader leaves before the end
 */
export function eventStream(begin: (events: EventWriter) => void, onLeave: () => unknown): HttpReply {
  const encoder = new TextEncoder();
  let keepAlive: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(keepAlive);
    keepAlive = undefined;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string): void => {
          if (keepAlive !== undefined) controller.enqueue(encoder.encode(text));
        };
        const offer = (text: string): void => {
          if ((controller.desiredSize ?? 0) > 0) send(text);
        };
        keepAlive = setInterval(() => offer(": keep-alive\n\n"), keepAliveMs);
        begin({
          send,
          offer,
          end() {
            if (keepAlive !== undefined) controller.close();
            stop();
          },
        });
      },
      cancel() {
        stop();
        onLeave();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  );
  return {
    status: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
    body,
  };
}
