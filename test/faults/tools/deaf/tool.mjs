/** Never settles and never listens. */
export const tool = {
  name: "deaf",
  description: "Never ends.",
  parameters: { type: "object" },
  timeoutMs: 20,
  execute: () => new Promise(() => undefined),
};
