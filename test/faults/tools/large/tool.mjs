export const tool = {
  name: "large",
  description: "Returns a long text.",
  parameters: {
    type: "object",
    properties: { megabytes: { type: "integer" } },
    required: ["megabytes"],
  },
  resultBytes: 64_000_000,
  execute: ({ megabytes }) => "x".repeat(megabytes * 1_000_000),
};
