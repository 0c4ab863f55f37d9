import type { StrictCost } from "./schema/strict-cost.ts";

/** The limits of one request for strict tools. */
export interface StrictLimits extends StrictCost {
  readonly tools: number;
}

/** Counts the strict tools of a request against its limits. */
interface StrictBudget {
  /** @returns why there is no room for the tool; then nothing is counted */
  spend(cost: StrictCost): string | undefined;
}

const nouns = {
  tools: "strict tools",
  optional: "optional properties in strict tools",
  unions: "properties of several types in strict tools",
};

export function createStrictBudget(limits: StrictLimits | undefined): StrictBudget {
  if (limits === undefined) return { spend: () => undefined };
  const spent = { tools: 0, optional: 0, unions: 0 };
  const items = ["tools", "optional", "unions"] as const;
  return {
    spend(cost) {
      const added = { tools: 1, ...cost };
      const over = items.find((item) => spent[item] + added[item] > limits[item]);
      if (over !== undefined) return `a request accepts at most ${limits[over]} ${nouns[over]}`;
      for (const item of items) spent[item] += added[item];
      return undefined;
    },
  };
}
