import { CallError, UpstreamError } from "../errors/errors.ts";
import { describeRefusal, type JsonRefusal } from "../json/refusals.ts";

/** How the calls of workers' tools fail. */

/** No worker takes calls of the tool. */
export function noWorker(): CallError {
  return new CallError("unavailable", "No worker offers the tool now. Nothing ran; call again in a moment.", {
    retryAfterMs: 1000,
  });
}

/** The workers of the tool run as many calls as they can. */
export function workersBusy(): CallError {
  const message =
    "The workers of the tool are at their limit of concurrent calls. Nothing ran; call again in a moment.";
  return new CallError("busy", message, { retryAfterMs: 1000 });
}

/** The worker has gone with a call that it was given. */
export function workerLost(): UpstreamError {
  return new UpstreamError("The worker that ran the tool is gone, and did not answer the call.");
}

/** @param path the place of the result in the body, with which the place of the refusal begins */
export function refusedResult({ path, reason }: JsonRefusal, place: string): CallError {
  const within = { path: path.slice(place.length), reason };
  return new CallError(
    "invalid_result",
    `The worker answered with JSON that is refused: ${describeRefusal(within)}. This is a fault of the tool; other arguments may avoid it.`,
    { issues: [{ path: within.path, message: reason, keyword: "json" }] },
  );
}

/** The answer to a worker that must register again. */
export function unknownWorker(): CallError {
  return new CallError(
    "not_found",
    "This worker is not known: its lease has ended, or the service was started again. Register again.",
  );
}
