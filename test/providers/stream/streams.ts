import type { RecordedDialect } from "../../dialects/recorded/recorded-turn.ts";
import type { Json } from "../rules/breach.ts";
import { cutAnthropic } from "./anthropic.ts";
import { cutGemini, write as writeGemini } from "./gemini.ts";
import { cutOllama, write as writeOllama } from "./ollama.ts";
import { cutOpenAI } from "./openai.ts";
import { cutResponses } from "./openai-responses.ts";
import { sse } from "./pieces.ts";

/** How a provider streams. */
export interface Streams {
  /** Whether a request asks for a stream. */
  readonly isAsked: (body: Json, url: URL) => boolean;
  readonly contentType: string;
  /** A whole turn as what the provider writes for it, one event or line after the other. */
  readonly cut: (turn: Json, body: Json) => readonly string[];
  /** One event, or line, as it is written. */
  readonly event: (data: object) => string;
  /** How it says that something went wrong when it had already begun. */
  readonly failure: (message: string, refusal: unknown) => string;
}

const asked = (body: Json): boolean => body["stream"] === true;

const typedEvent = (data: object): string => sse(data, "type" in data ? String(data.type) : undefined);

export const streams: Readonly<Record<RecordedDialect, Streams>> = {
  openai: {
    isAsked: asked,
    contentType: "text/event-stream; charset=utf-8",
    cut: cutOpenAI,
    event: (data) => sse(data),
    failure: (_message, refusal) => sse(refusal),
  },
  "openai-responses": {
    isAsked: asked,
    contentType: "text/event-stream; charset=utf-8",
    cut: cutResponses,
    event: typedEvent,
    failure: (message) =>
      sse({ type: "error", sequence_number: 99, code: "server_error", message, param: null }, "error"),
  },
  anthropic: {
    isAsked: asked,
    contentType: "text/event-stream; charset=utf-8",
    cut: cutAnthropic,
    event: typedEvent,
    failure: (_message, refusal) => sse(refusal, "error"),
  },
  gemini: {
    isAsked: (_body, url) => url.pathname.endsWith(":streamGenerateContent"),
    contentType: "text/event-stream",
    cut: cutGemini,
    event: writeGemini,
    failure: (_message, refusal) => writeGemini(refusal),
  },
  ollama: {
    // It streams where nobody says anything.
    isAsked: (body) => body["stream"] !== false,
    contentType: "application/x-ndjson",
    cut: cutOllama,
    event: writeOllama,
    failure: (_message, refusal) => writeOllama(refusal),
  },
};
