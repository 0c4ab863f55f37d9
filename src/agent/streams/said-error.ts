import { isJsonObject } from "../../core/json.ts";
import { StreamError } from "./accumulator.ts";

/** An error as the provider said it: a text, or an object with a `message` and perhaps a `code`. */
export function saidError(error: unknown): StreamError {
  const { message, code } = isJsonObject(error) ? error : { message: error, code: undefined };
  const said = typeof message === "string" && message !== "" ? message : JSON.stringify(error);
  return new StreamError(typeof code === "string" ? `${said} (${code})` : said);
}
