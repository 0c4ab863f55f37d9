import { fixtures as chat } from "../openai/fixtures.ts";
import type { DialectFixtures } from "../fixtures.ts";

export const fixtures: DialectFixtures = {
  reply: (calls, text = "") => [
    { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
    ...calls.map(({ id, name, args }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    })),
  ],
  response: (output) => ({ object: "response", status: "completed", output }),
  resultsIn: (messages) => messages.length,
  pairsById: true,
  corpus: chat.corpus,
};
