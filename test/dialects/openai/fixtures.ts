import type { DialectFixtures, FixtureCall } from "../fixtures.ts";

export const fixtures: DialectFixtures = {
  reply: (calls, content = "") => ({
    role: "assistant",
    content,
    ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }),
  }),
  response: (message) => ({ choices: [{ index: 0, message }] }),
  resultsIn: (messages) => messages.length,
  pairsById: true,
  corpus: {
    openai: { widened: 0, narrowed: 0, strict: 0 },
    "openai-strict": { widened: 98, narrowed: 980, strict: 1399 },
  },
};

function toToolCall({ id, name, args }: FixtureCall): unknown {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}
