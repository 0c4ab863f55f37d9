import type { RecordedDialect } from "../dialects/recorded/recorded-turn.ts";
import { isObject, type Json } from "./rules/breach.ts";
import { type ConversationBreach, dig } from "./conversation.ts";

/** Whether a tool is one that the provider runs itself, such as its web search. Others have none. */
const isOwn: Readonly<Partial<Record<RecordedDialect, (tool: Json) => boolean>>> = {
  "openai-responses": ({ type }) => type === "web_search" || type === "code_interpreter",
  anthropic: ({ type }) => /^(?:web_search|code_execution)_\d{8}$/.test(String(type)),
  gemini: (tool) => ["googleSearch", "codeExecution", "urlContext"].some((kind) => isObject(tool[kind])),
};

/** The tools that the client runs. */
export function clientTools(dialect: RecordedDialect, tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.filter((tool) => !(isObject(tool) && isOwn[dialect]?.(tool) === true));
}

/** Gemini takes both kinds where a request says so, and no model before Gemini 3 does. Source: the types of @google/genai 2. */
export function ownToolBreaches(dialect: RecordedDialect, body: Json): ConversationBreach[] {
  const { tools } = body;
  const client = clientTools(dialect, tools);
  if (dialect !== "gemini" || !Array.isArray(tools) || !Array.isArray(client)) return [];
  const isMixed = client.length > 0 && client.length < tools.length;
  if (!isMixed || dig(body, "toolConfig", "includeServerSideToolInvocations") === true) return [];
  const message =
    "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.";
  return [{ path: "/tools", rule: "mixed", message }];
}
