import { type Call, cancel } from "../core/call.ts";
import { startCall } from "../core/invoke.ts";
import { outcomeJson } from "../core/outcome.ts";
import type { Registry } from "../core/registry.ts";
import type { Reply } from "./reply.ts";

const keepAliveMs = 15_000;
/** Events that a slow reader may leave unread before progress and log events are dropped for it. */
const maxUnread = 256;

/**
 * A call as server-sent events (text/event-stream, WHATWG HTML section 9.2): `progress` and `log` as they come, `outcome` last.
 * A reader that leaves cancels the call.
 */
export function streamCall(registry: Registry, call: Call, onEnd: () => void): Reply {
  const encoder = new TextEncoder();
  let keepAlive: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string): void => {
          if (keepAlive !== undefined) controller.enqueue(encoder.encode(text));
        };
        const offer = (event: string, data: unknown): void => {
          if ((controller.desiredSize ?? 0) > -maxUnread) send(eventText(event, toJson(data)));
        };
        keepAlive = setInterval(() => offer("", undefined), keepAliveMs);
        const listener: Call["listener"] = {
          onProgress: (progress) => offer("progress", progress),
          onLog: (level, message, fields) => offer("log", { level, message, fields }),
        };
        startCall(registry, { ...call, listener }, (outcome) => {
          send(eventText("outcome", outcomeJson(outcome)));
          if (keepAlive !== undefined) controller.close();
          end();
        });
      },
      cancel() {
        end();
        if (call.cancellation !== undefined) cancel(call.cancellation);
      },
    },
    { highWaterMark: 1 },
  );
  return {
    status: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
    body,
  };

  function end(): void {
    if (keepAlive === undefined) return;
    clearInterval(keepAlive);
    keepAlive = undefined;
    onEnd();
  }
}

function eventText(event: string, json: string): string {
  return event === "" ? ": keep-alive\n\n" : `event: ${event}\ndata: ${json}\n\n`;
}

/** A tool's log fields may be anything; what is no JSON is left out. */
function toJson(data: unknown): string {
  try {
    return JSON.stringify(data) ?? "";
  } catch {
    return "{}";
  }
}
