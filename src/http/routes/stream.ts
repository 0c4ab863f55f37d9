import { type Call, cancel } from "../../core/call/call.ts";
import type { StartCall } from "../../core/call/start-call.ts";
import { outcomeJson } from "../../core/outcome.ts";
import { repairJsonText } from "../../json/well-formed.ts";
import type { HttpReply } from "../http-reply.ts";

const keepAliveMs = 15_000;
/** The unread bytes of a slow reader above which progress and log events are dropped for it. */
const maxUnreadBytes = 262_144;

/**
 * A call as server-sent events (text/event-stream, WHATWG HTML section 9.2): `progress` and `log` as they occur,
 * `outcome` last. A reader that leaves cancels the call.
 */
export function streamCall(startCall: StartCall, call: Call, onEnd: () => void): HttpReply {
  const encoder = new TextEncoder();
  let keepAlive: NodeJS.Timeout | undefined;
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
        const listener: Call["listener"] = {
          onProgress: (progress) => offer(eventText("progress", JSON.stringify(progress))),
          onLog: (level, message, fields) => offer(eventText("log", logJson(level, message, fields))),
        };
        startCall({ ...call, listener }, (outcome) => {
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
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
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
  return `event: ${event}\ndata: ${repairJsonText(json)}\n\n`;
}

/** A tool's log entry may contain anything: only a field that is not JSON is left out. */
function logJson(level: unknown, message: unknown, fields: unknown): string {
  const entry = { level: String(level), message: String(message) };
  try {
    return JSON.stringify({ ...entry, fields });
  } catch {
    return JSON.stringify({ ...entry, fields: writableFields(fields) });
  }
}

function writableFields(fields: unknown): Record<string, unknown> {
  const written = Object.create(null) as Record<string, unknown>;
  try {
    for (const [name, value] of Object.entries(Object(fields) as object)) {
      const json = writtenOrNothing(value);
      if (json !== undefined) written[name] = JSON.parse(json);
    }
  } catch {
    // A proxy or a getter that throws: the fields that were read before are sent.
  }
  return written;
}

function writtenOrNothing(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
