import { isJsonObject, ownMember } from "../../json/object.ts";
import { openaiConversation } from "./conversation.ts";
import type { ConversationDialect } from "../dialect.ts";
import { openaiProfile } from "./profiles.ts";
import { firstCall } from "../reading/tool-calls.ts";
import { readOpenAiReply, writeOpenAiResults } from "./reply.ts";
import type { ToolChoice, ToolChoiceFields } from "../tool-choice.ts";

/**
 * OpenAI Chat Completions, and the many compatible services. Source: platform.openai.com/docs/api-reference/chat, and
 * the types of the npm package openai 6.
 */
export const openai: ConversationDialect = {
  name: "openai",
  profile: openaiProfile,
  // Without `strict`, a tool is not strict here but strict in the Responses API: it is always written.
  declare: ({ name, description }, parameters, { strict }) => ({
    type: "function",
    function: { name, description, parameters, strict },
  }),
  list: (declarations) => declarations,
  maxTools: 128,
  maxDescriptionLength: 1024,
  refusedNulls: { keys: new Set(["tool_calls"]) },
  readReply: readOpenAiReply,
  recognises: (body) => {
    const call = firstCall(body);
    return Array.isArray(ownMember(body, "choices")) || (call !== undefined && !isJsonObject(call["arguments"]));
  },
  writeResults: writeOpenAiResults,
  conversation: openaiConversation,
  toolChoice: chooseTools,
};

/** Source: `tool_choice` and `parallel_tool_calls` of platform.openai.com/docs/api-reference/chat/create. */
function chooseTools({ mode, names, parallel }: ToolChoice): ToolChoiceFields {
  const [first, ...others] = (names ?? []).map((name) => ({ type: "function", function: { name } }));
  let choice: unknown = mode;
  if (first !== undefined && mode === "required" && others.length === 0) choice = first;
  else if (first !== undefined && mode !== "none") {
    choice = { type: "allowed_tools", allowed_tools: { mode, tools: [first, ...others] } };
  }
  return { request: { tool_choice: choice, ...(parallel === false && { parallel_tool_calls: false }) }, warnings: [] };
}
