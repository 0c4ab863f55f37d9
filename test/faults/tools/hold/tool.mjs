/** Waits so long, or until it is told to end. */
export const tool = {
  name: "hold",
  description: "Waits.",
  parameters: { type: "object", properties: { ms: { type: "integer" } }, required: ["ms"] },
  timeoutMs: 60_000,
  execute({ ms }, context) {
    globalThis.holdStarted = (globalThis.holdStarted ?? 0) + 1;
    context.progress({ progress: 1 });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({ waited: ms }), ms);
      context.signal.addEventListener("abort", () => {
        globalThis.holdAborted = (globalThis.holdAborted ?? 0) + 1;
        clearTimeout(timer);
        reject(context.signal.reason);
      });
    });
  },
};
