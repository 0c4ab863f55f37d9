import { CallError } from "../../errors/errors.ts";
import { type ErrorOutcome, failedOutcome, type Outcome, resultJson } from "../../core/outcome.ts";
import { blocksOf } from "../../core/result-blocks.ts";

/** Characters of JSON. An answer is one string, and V8 allows no string over 512 Mi characters. */
const mebi = 1_048_576;
/** The most calls of one request, each with the largest result that is allowed by default. */
const largestResults = 128 * mebi;
/**
 * An answer with messages repeats a result up to three times: as structured content, and escaped as text inside JSON.
 */
const largestMessages = 64 * mebi;
const copiesOfMessages = 4;
const largestAnswer = 480 * mebi;

/** Receives outcomes as the calls end, and returns each as the answer contains it. */
export interface ResultRoom {
  /** @param copies how often the answer repeats it, if a model made the same call twice */
  take(outcome: Outcome, copies?: number): Outcome;
}

/** The limit of an answer that contains each result once. */
export function roomForResults(): ResultRoom {
  return createResultRoom(largestResults);
}

/** The limit of an answer with messages. @param echoLength the length of the reply that is returned with them */
export function roomForMessages(echoLength: number): ResultRoom {
  return createResultRoom(Math.min(largestMessages, Math.floor((largestAnswer - echoLength) / copiesOfMessages)));
}

/**
 * Each result that no longer fits becomes `result_too_large`; all others are kept. The order in which the calls end
 * decides, so that a result that does not fit is freed at once.
 */
function createResultRoom(length: number): ResultRoom {
  let left = length;
  return {
    take(outcome, copies = 1) {
      // The message of a failure is limited, and short unless it is repeated.
      if (outcome.status === "error" && copies === 1) return outcome;
      const text = outcome.status === "ok" ? resultJson(outcome) : JSON.stringify(outcome.error);
      const taken = (text.length + lengthBeside(outcome)) * copies;
      if (taken <= left) {
        left -= taken;
        return outcome;
      }
      return outcome.status === "ok" ? tooLargeTogether(outcome.callId, length) : withoutDetails(outcome);
    },
  };
}

/** Only messages contain the blocks beside a result. */
function lengthBeside(outcome: Outcome): number {
  const found = blocksOf(outcome, undefined);
  return found?.areBeside === true ? JSON.stringify(found.blocks).length : 0;
}

function tooLargeTogether(callId: string, length: number): Outcome {
  const message = `The tool finished, but the results of this request are larger than ${length / mebi} MiB together. Ask for less, or call this tool in another request.`;
  return failedOutcome(new CallError("result_too_large", message), false, callId);
}

function withoutDetails({ error, ...outcome }: ErrorOutcome): ErrorOutcome {
  const { details: _details, issues: _issues, ...rest } = error;
  return { ...outcome, error: rest };
}
