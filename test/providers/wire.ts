import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import type { Json } from "./rules/breach.ts";
import { dig, objectsIn } from "./conversation.ts";
import { anthropicRefusal, geminiRefusal, ollamaRefusal, openaiRefusal, type RefusalBody } from "./refusals.ts";

/** How a provider's one route for turns looks from outside. */
export interface Wire {
  readonly path: RegExp;
  /** The headers that may hold the key: one of them must be there. */
  readonly key: readonly string[];
  readonly headers?: Readonly<Record<string, RegExp>>;
  /** Fields of the body that must be there. */
  readonly required: readonly string[];
  /** The whole conversation of a request. */
  readonly conversation: (body: Json, sent: readonly unknown[]) => readonly unknown[];
  /** The body of a refusal. */
  readonly refusal: RefusalBody;
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const wires: Readonly<Record<RecordedDialect, Wire>> = {
  openai: {
    path: /^\/v1\/chat\/completions$/,
    key: ["authorization"],
    required: ["model", "messages"],
    conversation: (body) => list(body["messages"]),
    refusal: openaiRefusal,
  },
  "openai-responses": {
    path: /^\/v1\/responses$/,
    key: ["authorization"],
    required: ["model", "input"],
    conversation: continued,
    refusal: openaiRefusal,
  },
  anthropic: {
    path: /^\/v1\/messages$/,
    key: ["x-api-key", "authorization"],
    headers: { "anthropic-version": /^\d{4}-\d\d-\d\d$/ },
    required: ["model", "max_tokens", "messages"],
    conversation: (body) => list(body["messages"]),
    refusal: anthropicRefusal,
  },
  gemini: {
    path: /^\/v1beta\/models\/[\w.-]+:(?:generateContent|streamGenerateContent)$/,
    key: ["x-goog-api-key"],
    required: ["contents"],
    conversation: (body) => list(body["contents"]),
    refusal: geminiRefusal,
  },
  ollama: {
    path: /^\/api\/chat$/,
    key: [],
    required: ["model", "messages"],
    conversation: (body) => list(body["messages"]),
    refusal: ollamaRefusal,
  },
};

/** `input`, behind the items that the server keeps where `previous_response_id` names them. */
function continued(body: Json, sent: readonly unknown[]): readonly unknown[] {
  const input = list(body["input"]);
  const last = sent.findIndex((reply) => dig(reply, "id") === body["previous_response_id"]);
  return last === -1 ? input : [...objectsIn(dig(sent[last], "output")), ...input];
}
