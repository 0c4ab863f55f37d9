import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import type { Json } from "./rules/breach.ts";
import { type ConversationBreach, dig, objectsIn } from "./conversation.ts";

/** What a request for a response takes for kept by the server, and is not. Other providers keep nothing. */
export function storedBreaches(dialect: RecordedDialect, body: Json, sent: readonly unknown[]): ConversationBreach[] {
  if (dialect !== "openai-responses") return [];
  const previous = body["previous_response_id"];
  const isKnown = previous == null || sent.some((reply) => dig(reply, "id") === previous);
  const message = `Previous response with id '${String(previous)}' not found.`;
  const unknown = isKnown ? [] : [{ path: "/previous_response_id", rule: "previous", message }];
  if (body["store"] !== false) return unknown;
  const bare = objectsIn(body["input"]).filter(
    ({ type, encrypted_content }) => type === "reasoning" && typeof encrypted_content !== "string",
  );
  return [
    ...unknown,
    ...bare.map(({ id }) => ({
      path: "/input",
      rule: "store",
      message: `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    })),
  ];
}
