import type { StandIn } from "../providers/start-provider.ts";
import { freshTurn } from "../dialects/recorded/fresh-turn.ts";
import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";

/** The recorded turns of each provider, by what they are needed for here. */
export const recorded: Readonly<
  Record<RecordedDialect, { both: string; noArguments: string; signed: string; odd: string[] }>
> = {
  openai: { both: "two-calls", noArguments: "no-arguments", signed: "vendor-fields", odd: ["wrapped-parallel"] },
  "openai-responses": {
    both: "reasoning-and-two-calls",
    noArguments: "no-arguments",
    signed: "namespaced-call",
    odd: ["calls-without-item-id", "program-call", "wrapped-parallel"],
  },
  anthropic: {
    both: "two-calls",
    noArguments: "no-arguments",
    signed: "thinking-and-call",
    odd: ["hidden-thinking-and-call", "pause", "pause-with-call", "five-calls"],
  },
  gemini: {
    both: "two-calls-one-signature",
    noArguments: "no-arguments",
    signed: "thought-and-call",
    odd: ["same-tool-twice-no-ids", "malformed", "prefixed-name", "signed-call"],
  },
  ollama: {
    both: "two-calls",
    noArguments: "no-arguments",
    signed: "thinking-and-call",
    odd: ["same-tool-twice-no-ids", "arguments-as-text"],
  },
};

/** What all turns named `text` say. */
export const answer = "It is 4 degrees in Oslo.";

/** Turns of one conversation, none with the ids or signatures of another. */
export function turnsOf(dialect: RecordedDialect): (name: string) => Record<string, unknown> {
  let count = 0;
  return (name) => freshTurn(dialect, name, ++count);
}

/** What each request held of the conversation. */
export function conversationsOf({ requests }: StandIn): unknown[] {
  return requests.map(({ body }) => body["messages"] ?? body["input"] ?? body["contents"]);
}
