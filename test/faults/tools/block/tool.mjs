/** Blocks the event loop so long. */
export const tool = {
  name: "block",
  description: "Blocks the service.",
  parameters: { type: "object", properties: { ms: { type: "integer" } }, required: ["ms"] },
  execute({ ms }) {
    const until = performance.now() + ms;
    while (performance.now() < until);
    return { blocked: ms };
  },
};
