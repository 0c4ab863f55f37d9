import type { JsonObject } from "../../json/object.ts";

/** Tokens as the provider counted them. 0 if it sent no count. */
export interface Usage {
  /** All tokens that were read, including cached ones. */
  readonly inputTokens: number;
  /** All tokens that were written, including thoughts. */
  readonly outputTokens: number;
}

/**
 * What the agent needs from a provider in addition to its dialect: the items of a conversation and the texts in a
 * reply. Pure.
 */
export interface ProviderConversation {
  /** The user's text as an item of the conversation. */
  userItem(text: string): unknown;
  /** The reply without items that no repair turns into a call that can be answered. @default the reply unchanged */
  readable?(reply: unknown): unknown;
  /**
   * The form in which an item of the model goes back to the provider, which refuses some of its own items, such as
   * those without content. A call that cannot go back unchanged is repaired, with the name and the id that its result
   * repeats.
   * @param place its index among the turn's items
   * @returns undefined if nothing goes back. @default the item unchanged
   */
  keep?(item: unknown, place: number, items: readonly unknown[]): unknown;
  readonly calls: Calls;
  /**
   * For a provider that pairs results by id: a call without an id that is unique in the conversation gets one.
   * @default not needed
   */
  readonly callIds?: CallIds;
  /** Fields of the next requests that repeat values of a reply, except its items. @default none */
  followUp?(reply: unknown): JsonObject;
  /** The text of a whole reply that is meant for the user, without thoughts and calls. Empty if there is none. */
  textOf(reply: unknown): string;
  usageOf(reply: unknown): Usage;
}

/** Where a reply contains its calls, among other items. */
export interface Calls {
  /** @returns the reply's own list, which may be changed; undefined if it has none */
  list(reply: unknown): unknown[] | undefined;
  /** @returns undefined if the element is not a call */
  read(item: JsonObject): { readonly id: unknown; readonly name: unknown; readonly args: unknown } | undefined;
}

export interface CallIds {
  readonly key: string;
  /** The ids that the provider accepts. @default any text */
  readonly pattern?: RegExp;
  /** The calls of a reply, or of an item that was sent back, in their order. */
  find(reply: unknown): readonly JsonObject[];
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}
