import { CallError, type ErrorBody, errorCodes } from "../errors/errors.ts";
import { toErrorBody } from "../errors/failure.ts";
import type { Repair } from "../schema/repair.ts";
import { copyBlocks } from "./result-blocks.ts";

export interface OkOutcome {
  readonly status: "ok";
  readonly callId: string;
  readonly result: unknown;
  /** The repairs of the arguments before the tool got them. */
  readonly repairs?: readonly Repair[];
}

export interface ErrorOutcome {
  readonly status: "error";
  /** Absent if the request never became a call, as for an unknown tool. */
  readonly callId?: string;
  readonly error: ErrorBody;
  readonly repairs?: readonly Repair[];
}

/** The outcome of a call: a result or an error, nothing else. */
export type Outcome = OkOutcome | ErrorOutcome;

/**
 * A result with its JSON text, which was written to measure the size, so that the answer need not write it again. It is
 * a class because a private field is in no copy, JSON text or log of the outcome.
 */
class WrittenOutcome implements OkOutcome {
  readonly status = "ok";
  readonly callId: string;
  readonly result: unknown;
  declare readonly repairs?: readonly Repair[];
  readonly #resultText: string;

  constructor(callId: string, result: unknown, resultText: string) {
    this.callId = callId;
    this.result = result;
    this.#resultText = resultText;
  }

  static toJson(outcome: WrittenOutcome): string {
    const repairs = outcome.repairs === undefined ? "" : `,"repairs":${JSON.stringify(outcome.repairs)}`;
    return `{"status":"ok","callId":"${outcome.callId}","result":${outcome.#resultText}${repairs}}`;
  }

  static copy(outcome: WrittenOutcome): WrittenOutcome {
    const copy = new WrittenOutcome(outcome.callId, outcome.result, outcome.#resultText);
    return outcome.repairs === undefined ? copy : Object.assign(copy, { repairs: outcome.repairs });
  }

  static toResultJson(outcome: WrittenOutcome): string {
    return outcome.#resultText;
  }
}

export function createOkOutcome(callId: string, result: unknown, resultText: string): OkOutcome {
  return new WrittenOutcome(callId, result, resultText);
}

/** The outcome as JSON text. */
export function outcomeJson(outcome: Outcome): string {
  return outcome instanceof WrittenOutcome ? WrittenOutcome.toJson(outcome) : JSON.stringify(outcome);
}

/** The result alone as JSON text. */
export function resultJson(outcome: OkOutcome): string {
  return outcome instanceof WrittenOutcome ? WrittenOutcome.toResultJson(outcome) : JSON.stringify(outcome.result);
}

const replays = new WeakSet<Outcome>();

/** A copy of the outcome of an earlier call, for an answer with `Idempotency-Replayed: true`. Its JSON is the same. */
export function toReplay(outcome: Outcome): Outcome {
  const replay = outcome instanceof WrittenOutcome ? WrittenOutcome.copy(outcome) : { ...outcome };
  replays.add(replay);
  return copyBlocks(outcome, replay);
}

/** Whether an outcome is that of an earlier call. */
export function isReplay(outcome: Outcome): boolean {
  return replays.has(outcome);
}

/** `ok` or the error code, for logs, metrics and the `Toolhost-Outcome` header. */
export function outcomeCode(outcome: Outcome): "ok" | ErrorBody["code"] {
  return outcome.status === "ok" ? "ok" : outcome.error.code;
}

/** The outcome of a failure. If there was no call, as for a refused request, it has no call id. */
export function failedOutcome(error: CallError, safe = false, callId?: string): ErrorOutcome {
  const body = toErrorBody(error, safe);
  return callId === undefined || errorCodes[error.code].status !== 200
    ? { status: "error", error: body }
    : { status: "error", callId, error: body };
}

export function cancelledBeforeStart(): CallError {
  return new CallError("cancelled", "The call was cancelled before the tool started. Nothing ran.", {
    ran: "no",
    action: "stop",
  });
}
