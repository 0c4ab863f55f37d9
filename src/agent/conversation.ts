import type { ChatMessage } from "./types.ts";

/**
 * The conversation in two forms: the provider's own items, which are sent, and messages in OpenAI's shape, which are
 * shown.
 */
export interface Conversation {
  items(): readonly unknown[];
  messages(): readonly ChatMessage[];
  add(items: readonly unknown[], messages: readonly ChatMessage[]): void;
  /** @returns a function that removes what was added since */
  mark(): () => void;
  clear(): void;
}

export function createConversation(): Conversation {
  const items: unknown[] = [];
  const messages: ChatMessage[] = [];
  const cut = (itemCount: number, messageCount: number): void => {
    items.length = itemCount;
    messages.length = messageCount;
  };
  return {
    items: () => [...items],
    messages: () => [...messages],
    add(newItems, newMessages) {
      items.push(...newItems);
      messages.push(...newMessages);
    },
    mark() {
      const counts = [items.length, messages.length] as const;
      return () => cut(...counts);
    },
    clear: () => cut(0, 0),
  };
}
