import type { DialectName } from "./dialect.ts";
import type { StrictCost } from "./schema/strict-cost.ts";

/** Takes strict tools off what a request allows. */
interface StrictBudget {
  /** @returns why there is no room for the tool; then nothing is taken off */
  spend(cost: StrictCost): string | undefined;
}

/** Anthropic compiles all strict tools of a request into one grammar. Source: the errors that its API is known to answer. */
const anthropicLimits = { tools: 20, optional: 24, unions: 16 };
const nouns = {
  tools: "strict tools",
  optional: "optional properties in strict tools",
  unions: "properties of several types in strict tools",
};

export function createStrictBudget(name: DialectName): StrictBudget {
  if (name !== "anthropic") return { spend: () => undefined };
  const spent = { tools: 0, optional: 0, unions: 0 };
  const items = ["tools", "optional", "unions"] as const;
  return {
    spend(cost) {
      const added = { tools: 1, ...cost };
      const over = items.find((item) => spent[item] + added[item] > anthropicLimits[item]);
      if (over !== undefined) return `a request takes ${anthropicLimits[over]} ${nouns[over]}`;
      for (const item of items) spent[item] += added[item];
      return undefined;
    },
  };
}
