import type { Call } from "./call.ts";
import { CallError } from "../../errors/errors.ts";
import { failedOutcome, type Outcome } from "../outcome.ts";

/** At most so many calls are run side by side for one who asks. */
export const maxCalls = 128;

/** What one of many calls is, or why it is none that can be run. */
export type BatchEntry = CallError | RunnableCall;
export type RunnableCall = Pick<Call, "name" | "arguments" | "hash" | "repair" | "repairs" | "modelCallId">;

/** Runs calls side by side. Each has an outcome of its own, in the order they came. */
export function runBatch(
  calls: readonly BatchEntry[],
  run: (call: RunnableCall, index: number) => Promise<Outcome>,
): Promise<Outcome[]> {
  return Promise.all(
    calls.map(async (call, index) => (call instanceof CallError ? failedOutcome(call) : run(call, index))),
  );
}
