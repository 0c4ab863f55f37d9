import type { ParameterStyle } from "./plan.ts";
import { refuseArgument } from "./refuse-argument.ts";

/** What separates the items of a list, in a URL and as plain text, and its name in a message. */
export interface Delimiter {
  readonly encoded: string;
  readonly plain: string;
  readonly called: string;
}

/** Those of the styles that are not separated by commas. */
export const delimiters: Partial<Record<ParameterStyle, Delimiter>> = {
  spaceDelimited: { encoded: "%20", plain: " ", called: "a space" },
  pipeDelimited: { encoded: "%7C", plain: "|", called: "the character |" },
  tabDelimited: { encoded: "%09", plain: "\t", called: "a tab" },
};

/**
 * An item cannot contain its delimiter: an encoded one would separate too.
 * @param path where the list is among the arguments, as a JSON Pointer
 * @throws CallError `invalid_arguments`
 */
export function refuseDelimiter(item: string, delimiter: Delimiter | undefined, path: string): void {
  if (delimiter === undefined || !item.includes(delimiter.plain)) return;
  throw refuseArgument(path, `must not contain ${delimiter.called} in an item, because it separates the items`);
}
