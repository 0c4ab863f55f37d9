import type { DialectFixtures } from "../fixtures.ts";

export const fixtures: DialectFixtures = {
  reply: (calls) => calls.map(({ name, args }) => ({ name, arguments: args })),
  response: (calls) => calls,
  resultsIn: (messages) => messages.length,
  pairsById: false,
  corpus: {
    mcp: { widened: 0, narrowed: 0, strict: 0 },
  },
};
