import type { Call } from "./call.ts";
import { CallError } from "../../errors/errors.ts";
import { failedOutcome, type Outcome } from "../outcome.ts";

/** Maximum number of calls that run concurrently for one request. */
export const maxCalls = 128;

/** One of many calls, or the reason why it cannot be run. */
export type BatchEntry = CallError | RunnableCall;
export type RunnableCall = Pick<Call, "name" | "arguments" | "hash" | "repair" | "repairs" | "modelCallId">;

/** Runs calls concurrently. Each has its own outcome, in the order of the calls. */
export function runBatch(
  calls: readonly BatchEntry[],
  run: (call: RunnableCall, index: number) => Promise<Outcome>,
): Promise<Outcome[]> {
  return Promise.all(
    calls.map(async (call, index) => (call instanceof CallError ? failedOutcome(call) : run(call, index))),
  );
}
