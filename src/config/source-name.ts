import { inQuotes } from "../json/in-quotes.ts";

/** Names that no source of a configuration may have: `local` is the source of tools that a program registers. */
export const reservedNames: readonly string[] = ["bundled", "local"];

/** A name of a source. It begins the names of tools, which begin with a letter or `_`. */
export function isSourceName(text: string): boolean {
  return text.trim() !== "" && !/^[0-9-]/.test(text) && !reservedNames.includes(text);
}

/** Completes "must be". */
export const sourceNameRule = `a text that is not blank and does not begin with a digit or "-"; ${inQuotes(reservedNames, " and ")} are reserved`;
