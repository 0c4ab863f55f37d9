/** What the tools of this process have counted. */
export const tool = {
  name: "counters",
  description: "Tells what the other tools counted.",
  parameters: { type: "object" },
  execute: () => ({
    typed: globalThis.typedRuns ?? 0,
    started: globalThis.holdStarted ?? 0,
    aborted: globalThis.holdAborted ?? 0,
    cancelledStreams: globalThis.cancelledStreams ?? 0,
    polluted: "polluted" in {} || "admin" in {} ? 1 : 0,
  }),
};
