import type { DialectFixtures } from "../fixtures.ts";

export const fixtures: DialectFixtures = {
  reply: (calls, content = "") => ({
    role: "assistant",
    content,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, args }) => ({ id, function: { name, arguments: args } })),
    }),
  }),
  response: (message) => ({ message, done: true }),
  resultsIn: (messages) => messages.length,
  pairsById: false,
  corpus: {
    ollama: { widened: 626, narrowed: 0, strict: 0 },
  },
};
