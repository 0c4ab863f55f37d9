/** Fails when it was answered already, or where nobody waits. */
export const tool = {
  name: "late",
  description: "Fails late.",
  parameters: { type: "object", properties: { apart: { type: "boolean" } } },
  timeoutMs: 100,
  execute({ apart }) {
    if (!apart) return new Promise((_resolve, reject) => setTimeout(reject, 200, new Error("late failure")));
    void Promise.reject(new Error("failure apart"));
    return { started: true };
  },
};
