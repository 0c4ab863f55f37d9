import { ConfigError } from "../config/config-error.ts";
import { JsonSyntaxError, parseJson } from "../json/parse.ts";
import { describeRefusal } from "../json/refusals.ts";
import { parseJsonFile } from "../sources/folder/json-file.ts";

/** The arguments of a call as a person typed them. @throws ConfigError */
export function readArguments(text: string): unknown {
  try {
    const { value, refusals } = parseJson(text);
    const [refusal] = refusals;
    if (refusal !== undefined) throw new ConfigError(`the arguments are refused: ${describeRefusal(refusal)}`);
    return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    // Double quotes that are still there were quoted.
    const hint = text.includes('"') ? "" : quoting;
    throw new ConfigError(`the arguments cannot be read: ${faultOf(text) ?? error.message}${hint}`, { cause: error });
  }
}

/** A shell takes unquoted quotes away, and splits at spaces. */
export const quoting = `; put single quotes around the JSON, as in '{"argument": "text"}', or pass - and write it to stdin`;

/** Where the text stops being JSON, if that is what is wrong with it. */
function faultOf(text: string): string | undefined {
  try {
    parseJsonFile("the text", text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : undefined;
  }
}
