import type { JsonObject } from "../../json/object.ts";

/** Tokens, as the provider counted them. 0 where it told none. */
export interface Usage {
  /** All that was read, what came from a cache included. */
  readonly inputTokens: number;
  /** All that was written, what was thought included. */
  readonly outputTokens: number;
}

/** What the agent must know of a provider beside its dialect: who speaks, and what was said. Pure. */
export interface ProviderConversation {
  /** What the user says, as an item of the conversation. */
  userItem(text: string): unknown;
  /** The reply without what no mending makes a call that can be answered. @default the reply as it came */
  readable?(reply: unknown): unknown;
  /**
   * What of an item of the model goes back to the provider, which refuses some of its own, as items without content: a
   * call that cannot go back as it is goes back mended, with the name and the id that its result repeats.
   * @param place where it stands among the turn's items
   * @returns undefined where nothing does. @default the item as it came
   */
  keep?(item: unknown, place: number, items: readonly unknown[]): unknown;
  readonly calls: Calls;
  /** Where results are told by ids: a call without an id of its own in the conversation is given one. @default nowhere */
  readonly callIds?: CallIds;
  /** Fields of the next requests that repeat what a reply told, but for its items. @default none */
  followUp?(reply: unknown): JsonObject;
  /** What of a whole reply is for the user: neither thoughts nor calls. Empty where there is none. */
  textOf(reply: unknown): string;
  usageOf(reply: unknown): Usage;
}

/** Where a reply holds its calls, among whatever else. */
export interface Calls {
  /** @returns the reply's own list, which may be changed; undefined if it has none */
  list(reply: unknown): unknown[] | undefined;
  /** @returns undefined if the element is no call */
  read(item: JsonObject): { readonly id: unknown; readonly name: unknown; readonly args: unknown } | undefined;
}

export interface CallIds {
  readonly key: string;
  /** What the provider takes for one. @default any text */
  readonly pattern?: RegExp;
  /** The calls of a reply, or of an item that went back, as they stand in it. */
  find(reply: unknown): readonly JsonObject[];
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}
