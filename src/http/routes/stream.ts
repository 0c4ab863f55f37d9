import { type Call, cancel } from "../../core/call/call.ts";
import type { StartCall } from "../../core/call/start-call.ts";
import { outcomeJson } from "../../core/outcome.ts";
import { repairJsonText } from "../../json/well-formed.ts";
import { eventStream } from "../event-stream.ts";
import type { HttpReply } from "../http-reply.ts";

/**
 * A call as server-sent events: `progress` and `log` as they occur, `outcome` last. A reader that leaves cancels the call.
 * @param onEnd called once, when the call has ended
 */
export function streamCall(startCall: StartCall, call: Call, onEnd: () => void): HttpReply {
  return eventStream(
    ({ send, offer, end }) => {
      const listener: Call["listener"] = {
        onProgress: (progress) => offer(eventText("progress", JSON.stringify(progress))),
        onLog: (level, message, fields) => offer(eventText("log", logJson(level, message, fields))),
      };
      startCall({ ...call, listener }, (outcome) => {
        send(eventText("outcome", outcomeJson(outcome)));
        end();
        onEnd();
      });
    },
    () => call.cancellation !== undefined && cancel(call.cancellation),
  );
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
