import type { Json } from "../rules/breach.ts";
import { objectsIn } from "../conversation.ts";
import { objectOf, pieces } from "./pieces.ts";

/** An answer of /api/chat as lines: thoughts, text, whole calls, and last the counts. Source: ollama/ollama, server/routes.go. */
export function cutOllama(turn: Json): string[] {
  const { model, created_at } = turn;
  const { role, content, thinking, tool_calls } = objectOf(turn["message"]);
  const messages: Json[] = [
    ...pieces(thinking).map((piece) => ({ role, content: "", thinking: piece })),
    ...pieces(content).map((piece) => ({ role, content: piece })),
    ...objectsIn(tool_calls).map((call) => ({ role, content: "", tool_calls: [call] })),
  ];
  const lines = messages.map((message): Json => ({ model, created_at, message, done: false }));
  return [...lines, { ...turn, message: { role, content: "" } }].map(write);
}

export function write(line: unknown): string {
  return `${JSON.stringify(line)}\n`;
}
