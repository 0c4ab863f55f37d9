import { egressEntryRule, isEgressEntry } from "../egress/rules.ts";

/** @returns what is wrong with the entries of a variable. Each problem names the entry's position, not its text. */
export function checkEgressEntries(variable: string, entries: readonly string[]): string[] {
  return entries.flatMap((entry, index) =>
    isEgressEntry(entry) ? [] : [`${variable}: entry ${index + 1} must be ${egressEntryRule}`],
  );
}
