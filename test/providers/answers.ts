import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import { isObject, type Json } from "./rules/breach.ts";
import { streams } from "./stream/streams.ts";
import type { BrokenOff, StreamedTurn } from "./turns.ts";
import { wires } from "./wire.ts";

/** What is written to the socket, part by part. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: readonly string[];
  /** What is behind the parts: the end, the end of the connection alone, or nothing. */
  readonly ending: "whole" | "broken" | "stalled";
}

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    parts: [JSON.stringify(value)],
    ending: "whole",
  };
}

/** @param asked the request, where it asks for a stream */
export function wholeAnswer(dialect: RecordedDialect, turn: unknown, asked: Json | undefined): Answer {
  if (asked === undefined) return jsonAnswer(200, turn);
  const { contentType, cut } = streams[dialect];
  const parts = cut(isObject(turn) ? turn : {}, asked);
  return { status: 200, headers: { "content-type": contentType }, parts, ending: "whole" };
}

/** @param asked the request, where it asks for a stream */
export function streamedAnswer(
  dialect: RecordedDialect,
  { turn, events }: StreamedTurn,
  asked: Json | undefined,
): Answer {
  if (asked === undefined) return jsonAnswer(200, turn);
  const { contentType, event } = streams[dialect];
  return { status: 200, headers: { "content-type": contentType }, parts: events.map(event), ending: "whole" };
}

/** @param asked the request, where it asks for a stream */
export function brokenAnswer(
  dialect: RecordedDialect,
  { turn, after, saying, isStalled }: BrokenOff,
  asked: Json | undefined,
): Answer {
  const answer = wholeAnswer(dialect, turn, asked);
  const all = asked === undefined ? [...(answer.parts[0] ?? "")] : answer.parts;
  const parts = all.slice(0, after ?? Math.floor(all.length / 2));
  if (saying === undefined || asked === undefined) {
    return { ...answer, parts, ending: isStalled ? "stalled" : "broken" };
  }
  return { ...answer, parts: [...parts, streams[dialect].failure(saying, wires[dialect].refusal(500, saying, ""))] };
}

/** Each part is on its way before the next one is written, so that clients see them one by one. */
export async function write(response: ServerResponse, { status, headers, parts, ending }: Answer): Promise<void> {
  response.writeHead(status, headers).flushHeaders();
  for (const part of parts) {
    if (response.destroyed) return;
    response.write(part);
    await setImmediate();
  }
  if (ending === "whole") response.end();
  if (ending === "broken") response.destroy();
}
