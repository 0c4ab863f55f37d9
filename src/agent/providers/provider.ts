import type { JsonObject } from "../../core/json-schema.ts";

/** Tokens, as the provider counted them. 0 where it told none. */
export interface Usage {
  /** All that was read, what came from a cache included. */
  readonly inputTokens: number;
  /** All that was written, what was thought included. */
  readonly outputTokens: number;
}

/** What the agent must know of a provider beside its dialect: who speaks, and what was said. Pure. */
export interface Provider {
  /** What the user says, as an item of the conversation. */
  userItem(text: string): unknown;
  /**
   * What of an item of the model goes back to the provider, which refuses some of its own: items without content.
   * @param place where it stands among the turn's items
   * @returns undefined where nothing does. @default the item as it came
   */
  keep?(item: unknown, place: number, items: readonly unknown[]): unknown;
  /** Where results name their calls: a call without a name of its own is given one. @default nowhere */
  readonly callIds?: CallIds;
  /** What of a whole reply is for the user: neither thoughts nor calls. Empty where there is none. */
  textOf(reply: unknown): string;
  usageOf(reply: unknown): Usage;
}

export interface CallIds {
  readonly key: string;
  /** The calls of a reply, as they stand in it. */
  find(reply: unknown): readonly JsonObject[];
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}
