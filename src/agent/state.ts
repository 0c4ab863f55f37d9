import type { ConversationDialect } from "../dialects/dialect.ts";
import type { Conversation } from "./conversation.ts";
import type { Model } from "./models/model.ts";
import { createOpenCalls, type OpenCalls } from "./open-calls.ts";
import type { AgentTools } from "./tools.ts";
import type { Turn } from "./turn.ts";
import type { AssistantMessage } from "./types.ts";

/** The state that an agent keeps from one chat to the next. */
export interface AgentState {
  readonly model: Model;
  readonly dialect: ConversationDialect;
  readonly tools: AgentTools;
  readonly system: string | undefined;
  readonly conversation: Conversation;
  /** The calls of the last turn, if they are not answered yet. */
  openCalls: OpenCalls | undefined;
  /** Fields of the next requests that repeat values of the last replies. */
  followUp: Readonly<Record<string, unknown>>;
}

/** Adds a turn of the model to the conversation, unless none of its items is to be sent back. */
export function keepTurn(state: AgentState, { items, reply, text, followUp }: Turn): void {
  const { dialect, tools, conversation } = state;
  state.followUp = { ...state.followUp, ...followUp };
  if (items.length === 0) return;
  if (reply.calls.length > 0) {
    state.openCalls = createOpenCalls(dialect, tools, reply, conversation.items().length);
  }
  const { toolCalls = [] } = state.openCalls ?? {};
  const message: AssistantMessage = {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    ...(toolCalls.length > 0 && { tool_calls: [...toolCalls] }),
    raw: items.length === 1 ? items[0] : items,
  };
  conversation.add(items, [message]);
}

/**
 * Adds the results of the last turn's calls to the conversation; calls that were not run get an error.
 * @returns warnings about what the model cannot see of the results
 * @throws the signal's reason if calls still run: they stay open
 */
export async function answerCalls(state: AgentState, signal?: AbortSignal): Promise<readonly string[]> {
  if (state.openCalls === undefined) return [];
  const { items, messages, warnings } = await state.openCalls.close(signal);
  state.conversation.add(items, messages);
  state.openCalls = undefined;
  return warnings;
}
