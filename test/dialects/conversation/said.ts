import { conversations } from "../../../src/dialects/conversation/conversations.ts";
import { noUsage, type Usage } from "../../../src/dialects/conversation/conversation.ts";
import { dialects } from "../../../src/dialects/dialects.ts";
import { type Finish, NotAReply } from "../../../src/dialects/reply.ts";

export interface Said {
  readonly text: string;
  readonly usage: Usage;
  /** Undefined where it is no reply of the provider. */
  readonly finish: Finish | undefined;
}

/** What a reply says that says nothing, however it ended. */
export const nothing = { text: "", usage: noUsage };

/** What the agent reads of a reply beside its calls. */
export function said(name: keyof typeof conversations, reply: unknown): Said {
  return {
    text: conversations[name].textOf(reply),
    usage: conversations[name].usageOf(reply),
    finish: finishOf(name, reply),
  };
}

function finishOf(name: keyof typeof conversations, reply: unknown): Finish | undefined {
  const text = JSON.stringify(reply) ?? "null";
  try {
    return dialects[name].readReply({ text, value: JSON.parse(text) as unknown, refusals: [] }).finish;
  } catch (error) {
    if (error instanceof NotAReply) return undefined;
    throw error;
  }
}
