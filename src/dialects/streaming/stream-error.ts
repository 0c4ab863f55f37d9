import { isJsonObject } from "../../json/object.ts";
import { StreamError } from "./accumulator.ts";

const maxLength = 2000;

/** A provider's error: a text, or an object with a `message`, and a `code`, `status` or `type` that is a word. */
export function streamError(error: unknown): StreamError {
  const { message, code, status, type } = isJsonObject(error) ? error : { message: error };
  const reported = typeof message === "string" && message !== "" ? message : (JSON.stringify(error) ?? "no reason");
  const word = [code, status, type].find((value) => typeof value === "string");
  return new StreamError((typeof word === "string" ? `${reported} (${word})` : reported).slice(0, maxLength));
}
