import { ConfigError } from "../config/config-error.ts";
import { JsonSyntaxError, parseJson } from "../json/parse.ts";
import { describeRefusal } from "../json/refusals.ts";

/** The arguments of a call as a person typed them. @throws ConfigError */
export function readArguments(text: string): unknown {
  try {
    const { value, refusals } = parseJson(text);
    const [refusal] = refusals;
    if (refusal !== undefined) throw new ConfigError(`the arguments are refused: ${describeRefusal(refusal)}`);
    return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ConfigError(`the arguments cannot be read: ${error.message}`, { cause: error });
  }
}
