/** Ends its thread, or works. */
export const tool = {
  name: "thread_end",
  description: "Ends its process.",
  isolation: "thread",
  parameters: { type: "object", properties: { how: { enum: ["exit", "abort", "not"] } } },
  execute({ how }) {
    if (how === "exit") process.exit(3);
    if (how === "abort") process.abort();
    return { well: true };
  },
};
