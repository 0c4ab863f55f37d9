import { canonicalJson } from "../../json/canonical.ts";
import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { isSeveralObjects } from "../reading/repeated-object.ts";
import { argumentsText, isJson } from "../conversation/outgoing-call.ts";
import { isEmptyObject } from "./arguments-text.ts";

/**
 * The arguments of a call that were sent twice: the later ones, unless they are empty. Two different complete objects
 * are kept one after the other: it is unknown which was meant, and the reader of the call refuses it.
 */
export function joinArguments(before: unknown, later: unknown): string | undefined {
  const [first, second] = [argumentsOf(before), argumentsOf(later)];
  if (second === undefined || second === "") return first ?? second;
  if (first === undefined || first === "" || first === second || isEmptyObject(first)) return second;
  const [one, other] = [objectIn(first), objectIn(second)];
  if (one === undefined && isSeveralObjects(first)) return first;
  if (one === undefined || other === undefined) return one === undefined ? second : first;
  return canonicalJson(one) === canonicalJson(other) ? second : first + second;
}

/** As text, which most providers send; some services send the object. */
export function argumentsOf(value: unknown): string | undefined {
  if (value == null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The object that a text contains or resolves to, if it is complete. */
export function objectIn(text: string): JsonObject | undefined {
  const read = argumentsText(text);
  const value: unknown = isJson(read) ? JSON.parse(read) : undefined;
  return isJsonObject(value) ? value : undefined;
}
