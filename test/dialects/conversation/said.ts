import { noUsage, type Usage } from "../../../src/dialects/conversation/conversation.ts";
import { dialects, type ModelDialect } from "../../../src/dialects/dialects.ts";
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
export function said(name: ModelDialect, reply: unknown): Said {
  const { conversation } = dialects[name];
  return {
    text: conversation.textOf(reply),
    usage: conversation.usageOf(reply),
    finish: finishOf(name, reply),
  };
}

function finishOf(name: ModelDialect, reply: unknown): Finish | undefined {
  const text = JSON.stringify(reply) ?? "null";
  try {
    return dialects[name].readReply({ text, value: JSON.parse(text) as unknown, refusals: [] }).finish;
  } catch (error) {
    if (error instanceof NotAReply) return undefined;
    throw error;
  }
}
