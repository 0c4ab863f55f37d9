import { ownMember } from "../../json/object.ts";
import { anthropicConversation } from "./conversation.ts";
import type { ConversationDialect } from "../dialect.ts";
import { anthropicPlain, anthropicStrict } from "./profiles.ts";
import { readAnthropicReply, writeAnthropicResults } from "./reply.ts";
import { showsImages } from "../media.ts";
import type { ToolChoice, ToolChoiceFields } from "../tool-choice.ts";

/** Anthropic Messages. Source: docs.anthropic.com (tool use), and the types of the npm package @anthropic-ai/sdk 1. */
export const anthropic: ConversationDialect = {
  name: "anthropic",
  profile: ({ strict }) => (strict ? anthropicStrict : anthropicPlain),
  declare: ({ name, description }, parameters, { strict }) => ({
    name,
    description,
    input_schema: parameters,
    ...(strict && { strict }),
  }),
  list: (declarations) => declarations,
  // The API compiles all strict tools of a request into one grammar. Source: the errors of its API.
  strictLimits: { tools: 20, optional: 24, unions: 16 },
  refusedNulls: { keys: new Set(), inside: { content: { keys: new Set(["caller", "toolset_name"]) } } },
  readReply: readAnthropicReply,
  recognises: (body) => ownMember(body, "role") === "assistant" && Array.isArray(ownMember(body, "content")),
  writeResults: writeAnthropicResults,
  shows: showsImages,
  conversation: anthropicConversation,
  toolChoice: chooseTools,
};

const types = { auto: "auto", none: "none", required: "any" } as const;

/**
 * Source: `tool_choice` of docs.anthropic.com/en/api/messages. It can name only one tool: for several, the others are
 * left out of the list.
 */
function chooseTools({ mode, names, parallel, thinking }: ToolChoice): ToolChoiceFields {
  const isLeftToModel = mode === "required" && thinking === true;
  const asked = isLeftToModel ? "auto" : mode;
  const one = asked === "required" && names?.length === 1 ? names[0] : undefined;
  const choice = {
    ...(one === undefined ? { type: types[asked] } : { type: "tool", name: one }),
    ...(parallel === false && asked !== "none" && { disable_parallel_tool_use: true }),
  };
  return {
    request: { tool_choice: choice },
    ...(names !== undefined && one === undefined && asked !== "none" && { tools: names }),
    warnings: isLeftToModel ? ["A model with thinking cannot be forced to call a tool: the model chooses."] : [],
  };
}
