/** Breaks its own schema: plainly, or by showing one value to who checks and another to who sends. */
export const tool = {
  name: "wrong_result",
  description: "Breaks its own schema.",
  parameters: { type: "object", properties: { lie: { type: "boolean" } } },
  response: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  execute({ lie }) {
    if (!lie) return { n: "canary-result" };
    let reads = 0;
    return Object.defineProperty({}, "n", { enumerable: true, get: () => (reads++ === 0 ? "canary-result" : 1) });
  },
};
