/** Returns more than any answer may hold, or more than a string can. */
export const tool = {
  name: "too_large",
  description: "Returns too much.",
  parameters: { type: "object", properties: { strings: { type: "integer" } } },
  execute: ({ strings = 1 }) => Array(strings).fill("x".repeat(strings === 1 ? 50_000_000 : 268_435_456)),
};
