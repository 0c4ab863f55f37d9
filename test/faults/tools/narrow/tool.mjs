export const tool = {
  name: "narrow",
  description: "Does ten things at once and no more.",
  concurrency: 10,
  parameters: { type: "object", properties: { ms: { type: "integer" } } },
  async execute({ ms = 100 }) {
    globalThis.narrowNow = (globalThis.narrowNow ?? 0) + 1;
    const most = globalThis.narrowNow;
    await new Promise((resolve) => setTimeout(resolve, ms));
    globalThis.narrowNow--;
    return { most };
  },
};
