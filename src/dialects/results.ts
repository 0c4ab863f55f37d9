import { type ErrorOutcome, type Outcome, resultJson } from "../core/outcome.ts";
import type { JsonObject } from "../json/object.ts";
import type { CallResult } from "./dialect.ts";

/** One result per call id, for a provider that pairs them by id and refuses a second one. */
export function onePerId(results: readonly CallResult[]): readonly CallResult[] {
  return results.filter(({ call }) => call.twinOf === undefined);
}

/** The text of an outcome for a model: a string result unchanged, any other as JSON; an error as `{"error": …}`. */
export function readableText(outcome: Outcome): string {
  if (outcome.status === "error") return errorText(outcome);
  return typeof outcome.result === "string" ? outcome.result : resultJson(outcome);
}

/** The same as JSON text for every type of result. */
export function readableJson(outcome: Outcome): string {
  return outcome.status === "error" ? errorText(outcome) : resultJson(outcome);
}

function errorText({ error }: ErrorOutcome): string {
  return JSON.stringify({ error });
}

/** The JSON text of an object with one more member, whose value is already JSON text. */
export function withMember(head: JsonObject, key: string, valueText: string): string {
  const members = JSON.stringify(head).slice(1, -1);
  return `{${members}${members === "" ? "" : ","}${JSON.stringify(key)}:${valueText}}`;
}
