import { objectsIn } from "../../providers/conversation.ts";
import type { DialectFixtures } from "../fixtures.ts";

export const fixtures: DialectFixtures = {
  reply: (calls, text = "") => ({
    role: "model",
    parts: [{ text }, ...calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }))],
  }),
  response: (content) => ({ candidates: [{ content, finishReason: "STOP" }] }),
  resultsIn: ([message]) => objectsIn(message?.["parts"]).length,
  pairsById: false,
  corpus: {
    gemini: { widened: 131, narrowed: 0, strict: 0 },
    "gemini-openapi": { widened: 479, narrowed: 11, strict: 0 },
  },
};
