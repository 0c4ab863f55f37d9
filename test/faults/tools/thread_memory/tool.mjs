export const tool = {
  name: "thread_memory",
  description: "Eats memory until it dies.",
  isolation: "thread",
  timeoutMs: 20_000,
  parameters: { type: "object", properties: { small: { type: "boolean" } } },
  execute({ small }) {
    if (small) return { well: true };
    const kept = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
  },
};
