import type { ToolContext } from "../../src/tool/tool.ts";

/** A context for one call, with the global `fetch` ended by `signal`. */
export function toolContext(signal: AbortSignal = new AbortController().signal): ToolContext {
  return {
    signal,
    callId: "call-1",
    progress: () => {},
    log: () => {},
    fetch: (input, init) => fetch(input, { ...init, signal }),
  };
}

/** What a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("It was expected to fail and did not.");
}
