import { isDeepStrictEqual } from "node:util";
import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import type { Json } from "./rules/breach.ts";
import { type ConversationBreach, dig, objectsIn } from "./conversation.ts";

/** OpenAI's kind: `reasoning_details` come back as they are in the whole reply. Source: agno-agi/agno#8794. */
export function thoughtBreaches(dialect: RecordedDialect, body: Json, sent: readonly unknown[]): ConversationBreach[] {
  if (dialect !== "openai") return [];
  const given = sent.map((turn) => dig(turn, "choices", 0, "message", "reasoning_details"));
  return objectsIn(body["messages"]).flatMap(({ reasoning_details: details }, place): ConversationBreach[] => {
    if (details === undefined || given.some((one) => isDeepStrictEqual(one, details))) return [];
    const message = `messages.${place}: Invalid \`signature\` in \`thinking\` block`;
    return [{ path: `/messages/${place}/reasoning_details`, rule: "thought", message }];
  });
}
