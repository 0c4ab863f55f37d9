/** What the process holds, after a collection. Needs --expose-gc. */
export const tool = {
  name: "vitals",
  description: "Tells what the process holds.",
  parameters: { type: "object" },
  async execute() {
    for (let round = 0; round < 3; round++) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return { heapBytes: process.memoryUsage().heapUsed, handles: process.getActiveResourcesInfo().length };
  },
};
