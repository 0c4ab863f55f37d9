import { now } from "../async/deadline.ts";
import { CallError } from "../errors/errors.ts";
import { getOwn, isJsonObject, type JsonObject } from "../json/object.ts";
import type { JsonDocument, JsonRefusal } from "../json/parse.ts";
import { readLogLevel } from "../tool/log-level.ts";
import type { Progress } from "../tool/progress.ts";
import { bounds } from "./bounds.ts";
import type { Dispatch } from "./dispatch.ts";
import { refusedResult } from "./failures.ts";
import type { Worker } from "./worker.ts";
import type { WorkerCall } from "./worker-call.ts";

/** Whether an answer counted: the call may be over, or not the worker's. */
export type Receipt = "taken" | "over" | "unknown";

/** Where answers go: to the calls that wait for them, or they are counted. */
export interface AnswerTaker {
  readonly dispatch: Dispatch;
  readonly dropped: Record<Exclude<Receipt, "taken">, number>;
}

/**
 * Takes one answer.
 * @param place where it is in the document, for the refusals of the document
 * @throws CallError `bad_request` if it is none of the four kinds
 */
export function takeAnswer(
  { dispatch, dropped }: AnswerTaker,
  worker: Worker,
  callId: string,
  answer: unknown,
  refusal: JsonRefusal | undefined,
  place = "",
): Receipt {
  const call = worker.calls.get(callId);
  if (call === undefined) {
    const receipt = worker.ended.has(callId) ? "over" : "unknown";
    dropped[receipt]++;
    return receipt;
  }
  if (!isJsonObject(answer)) throw malformed(place);
  const { error, progress, log } = answer;
  const result = getOwn(answer, "result");
  const others = [error, progress, log].filter((member) => member !== undefined && member !== null).length;
  // Encoders of some languages write every member of a record, and null for those without a value.
  if (others > 1 || (others === 1 && result !== undefined && result !== null)) throw malformed(place);
  if (others === 0 && result !== undefined) {
    dispatch.end(call);
    if (refusal === undefined) call.resolve(result);
    else call.reject(refusedResult(refusal, `${place}/result`));
    return "taken";
  }
  if (isJsonObject(error) && typeof error["message"] === "string") {
    dispatch.end(call);
    call.reject(refusal === undefined ? toolError(error) : refusedResult(refusal, `${place}/error`));
  } else if (refusal !== undefined) throw malformed(place);
  else if (isJsonObject(progress) && typeof progress["progress"] === "number") report(worker, call, progress);
  else if (isJsonObject(log) && typeof log["message"] === "string") writeLog(worker, call, log);
  else throw malformed(place);
  return "taken";
}

/**
 * Takes the answers of `POST /workers/{id}/calls`. One that is late or malformed does not keep the others from being
 * taken.
 * @throws CallError `bad_request` if it is not a list of answers, or one of them is malformed
 */
export function takeAnswers(taker: AnswerTaker, worker: Worker, { value, refusals }: JsonDocument): void {
  const answers: unknown = isJsonObject(value) ? value["answers"] : undefined;
  if (!Array.isArray(answers)) throw new CallError("bad_request", 'The body must be an object with a list "answers".');
  const refusalOf = refusalsByAnswer(refusals);
  let fault: unknown;
  for (const [index, answer] of (answers as readonly unknown[]).entries()) {
    try {
      const callId = isJsonObject(answer) ? answer["callId"] : undefined;
      const place = `/answers/${index}`;
      if (typeof callId !== "string") throw malformed(place);
      takeAnswer(taker, worker, callId, answer, refusalOf(index), place);
    } catch (error) {
      fault ??= error;
    }
  }
  if (fault !== undefined) throw fault;
}

/** The first refusal of each answer, found at once: a document may have many answers and many refusals. */
function refusalsByAnswer(refusals: readonly JsonRefusal[]): (index: number) => JsonRefusal | undefined {
  // A refusal of the whole document or of the list concerns every answer.
  const ofAll = refusals.find(({ path }) => path === "" || path === "/answers");
  const byIndex = new Map<number, JsonRefusal>();
  for (const refusal of refusals) {
    const [, list, index] = refusal.path.split("/");
    if (list === "answers" && !byIndex.has(Number(index))) byIndex.set(Number(index), refusal);
  }
  return (index) => ofAll ?? byIndex.get(index);
}

/** Read by its name, as an error that a tool throws. It has no stack: the worker has one. */
function toolError({ message, retryable, details }: JsonObject): object {
  return { name: "ToolError", message, retryable, details };
}

function report(worker: Worker, { context }: WorkerCall, progress: JsonObject): void {
  if (mayReport(worker)) context.progress(progress as unknown as Progress);
}

function writeLog(worker: Worker, { context }: WorkerCall, { level, message, fields }: JsonObject): void {
  if (!mayReport(worker)) return;
  const isShort = isJsonObject(fields) && JSON.stringify(fields).length <= bounds.logLength;
  context.log(readLogLevel(level), (message as string).slice(0, bounds.logLength), isShort ? fields : undefined);
}

/** A worker that reports without end must not fill the log, or the memory of a caller that reads slowly. */
function mayReport({ reports }: Worker): boolean {
  const time = now();
  if (time - reports.since >= 1000) {
    reports.since = time;
    reports.count = 0;
  }
  return ++reports.count <= bounds.reportsPerSecond;
}

function malformed(place: string): CallError {
  const [what, more] = place === "" ? ["The body", ""] : [`The answer at ${place}`, ', and a "callId"'];
  return new CallError(
    "bad_request",
    `${what} is not valid. An answer must contain exactly one of "result", "error", "progress" and "log"${more}. An error and a log entry must have a text "message", and a progress report must have a number "progress".`,
  );
}
