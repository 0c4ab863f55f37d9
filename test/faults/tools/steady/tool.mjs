export const tool = {
  name: "steady",
  description: "Takes 50 ms.",
  parameters: { type: "object" },
  execute: () => new Promise((resolve) => setTimeout(resolve, 50, { done: true })),
};
