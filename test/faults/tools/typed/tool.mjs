/** Counts its runs, so that a test sees whether a refused body ran it. */
export const tool = {
  name: "typed",
  description: "Takes arguments of known types.",
  parameters: {
    type: "object",
    properties: {
      count: { type: "integer" },
      price: { type: "number", multipleOf: 0.01 },
      name: { type: "string", maxLength: 10 },
      constructor: { type: "string" },
      items: { type: "array", items: { type: "string" } },
      options: { type: "object", default: { depth: 1 }, properties: { depth: { type: "integer", default: 1 } } },
    },
  },
  execute(args) {
    globalThis.typedRuns = (globalThis.typedRuns ?? 0) + 1;
    return args;
  },
};
