import { type ErrorOutcome, type Outcome, resultJson } from "../core/outcome.ts";
import type { JsonObject } from "../json/object.ts";
import type { CallResult } from "./dialect.ts";

/** One result for each call id, where a provider pairs them by it and refuses a second. */
export function onePerId(results: readonly CallResult[]): readonly CallResult[] {
  return results.filter(({ call }) => call.twinOf === undefined);
}

/** What a model reads of an outcome: a string result as it is, any other as JSON; an error as `{"error": …}`. */
export function readableText(outcome: Outcome): string {
  if (outcome.status === "error") return errorText(outcome);
  return typeof outcome.result === "string" ? outcome.result : resultJson(outcome);
}

/** The same as JSON text, whatever it is. */
export function readableJson(outcome: Outcome): string {
  return outcome.status === "error" ? errorText(outcome) : resultJson(outcome);
}

function errorText({ error }: ErrorOutcome): string {
  return JSON.stringify({ error });
}

/** The JSON text of an object with one more member, whose value is JSON text already. */
export function withMember(head: JsonObject, key: string, valueText: string): string {
  const members = JSON.stringify(head).slice(1, -1);
  return `{${members}${members === "" ? "" : ","}${JSON.stringify(key)}:${valueText}}`;
}
