import type { Call } from "./call.ts";
import { CallError } from "../../errors/errors.ts";
import { failedOutcome, type Outcome } from "../outcome.ts";

/** Maximum number of calls that run concurrently for one request. */
export const maxCalls = 128;

/** One of many calls, or the reason why it cannot be run. */
export type BatchEntry = CallError | RunnableCall;
/** Each field is set explicitly: an absent one would be read from Object.prototype. */
export type RunnableCall = Required<Pick<Call, "name" | "arguments" | "hash" | "repair" | "repairs" | "modelCallId">>;

/**
 * Runs calls concurrently. Each has its own outcome, in the order of the calls.
 * @param start starts a call and passes its outcome to `done`, once. A call-back, because the promises of a call cost as
 * much as its checks
 */
export function runBatch(
  calls: readonly BatchEntry[],
  start: (call: RunnableCall, index: number, done: (outcome: Outcome) => void) => void,
): Promise<Outcome[]> {
  return new Promise((resolve) => {
    const outcomes: Outcome[] = [];
    let running = calls.length;
    const end = (index: number, outcome: Outcome): void => {
      outcomes[index] = outcome;
      running--;
      if (running === 0) resolve(outcomes);
    };
    if (running === 0) resolve(outcomes);
    for (const [index, call] of calls.entries()) {
      if (call instanceof CallError) end(index, failedOutcome(call));
      else start(call, index, (outcome) => end(index, outcome));
    }
  });
}
