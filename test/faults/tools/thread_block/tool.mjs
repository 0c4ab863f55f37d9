/** Never comes back by itself. */
export const tool = {
  name: "thread_block",
  description: "Loops for ever.",
  isolation: "thread",
  timeoutMs: 300,
  parameters: { type: "object", properties: { pattern: { type: "boolean" } } },
  execute({ pattern }) {
    if (pattern) return /^(a|a)*$/.test(`${"a".repeat(60)}b`);
    for (;;);
  },
};
