import type { ChatMessage } from "./types.ts";

/** What was said, twice: in the provider's own items, which are what is sent, and in OpenAI's shape, which is what is shown. */
export interface Conversation {
  items(): readonly unknown[];
  messages(): readonly ChatMessage[];
  add(items: readonly unknown[], messages: readonly ChatMessage[]): void;
  /** @returns a function that takes back what was added since */
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
