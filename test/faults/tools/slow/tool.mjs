/** Outlives its limit, heeding its signal or not. */
export const tool = {
  name: "slow",
  description: "Takes longer than it may.",
  parameters: { type: "object", properties: { heed: { type: "boolean" } } },
  timeoutMs: 300,
  execute({ heed }, context) {
    globalThis.holdStarted = (globalThis.holdStarted ?? 0) + 1;
    return new Promise((_resolve, reject) => {
      if (!heed) return;
      const timer = setTimeout(() => reject(new Error("not aborted")), 10_000);
      context.signal.addEventListener("abort", () => {
        globalThis.holdAborted =
          (globalThis.holdAborted ?? 0) + (context.signal.reason.name === "TimeoutError" ? 1 : 0);
        clearTimeout(timer);
        reject(context.signal.reason);
      });
    });
  },
};
