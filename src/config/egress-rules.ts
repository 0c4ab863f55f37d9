import { egressEntryRule, isEgressEntry } from "../egress/rules.ts";
import { hostEntryRule, isHostEntry } from "../net/host-entry.ts";
import { text } from "./shape.ts";

/** One entry of `egress.allow`. */
export const egressRule = text(egressEntryRule, isEgressEntry);

/** What is wrong with the rules in a variable; each names its place in it, not what stands there. */
export function checkEgressRules(variable: string, rules: readonly string[]): string[] {
  return rules.flatMap((rule, index) =>
    isEgressEntry(rule) ? [] : [`${variable}: entry ${index + 1} must be ${egressEntryRule}`],
  );
}

/** An entry of `hosts`. */
export const hostName = text(hostEntryRule, isHostEntry);
