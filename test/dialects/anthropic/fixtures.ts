import { objectsIn } from "../../providers/conversation.ts";
import type { DialectFixtures } from "../fixtures.ts";

export const fixtures: DialectFixtures = {
  reply: (calls, text = "a") => ({
    role: "assistant",
    content: [
      { type: "text", text },
      ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
    ],
  }),
  response: (message) => ({ type: "message", ...(message as object), stop_reason: null }),
  resultsIn: ([message]) => objectsIn(message?.["content"]).length,
  pairsById: true,
  corpus: {
    anthropic: { widened: 0, narrowed: 0, strict: 0 },
    "anthropic-strict": { widened: 131, narrowed: 977, strict: 1399 },
  },
};
