import { ownMember } from "../../json/object.ts";
import { openaiResponsesConversation } from "./conversation.ts";
import type { ConversationDialect } from "../dialect.ts";
import { openaiProfile } from "../openai/profiles.ts";
import { readResponsesReply, writeResponsesResults } from "./reply.ts";
import { showsImages } from "../media.ts";
import type { RefusedNulls } from "../reading/refused-nulls.ts";
import type { ToolChoice, ToolChoiceFields } from "../tool-choice.ts";

/**
 * Fields that may be absent from an item of a reply, and must not be null in an item of a request, and fields that only
 * the SDK for Python adds. Others, such as `encrypted_content` and `phase`, may be null in both. Source: the types of
 * the npm package openai 6; openai/openai-python#3008.
 */
const refusedNulls: RefusedNulls = {
  keys: new Set("id status caller async async_ namespace created_by agent content parsed_arguments".split(" ")),
  inside: { content: { keys: new Set(["annotations", "logprobs", "parsed"]) } },
};

/** OpenAI Responses. Source: platform.openai.com/docs/api-reference/responses, and the types of the npm package openai 6. */
export const openaiResponses: ConversationDialect = {
  name: "openai-responses",
  profile: openaiProfile,
  declare: ({ name, description }, parameters, { strict }) => ({
    type: "function",
    name,
    description,
    parameters,
    strict,
  }),
  list: (declarations) => declarations,
  maxTools: 128,
  maxDescriptionLength: 1024,
  refusedNulls,
  readReply: readResponsesReply,
  recognises: (body) =>
    Array.isArray(body)
      ? body.some((item) => ownMember(item, "call_id") !== undefined)
      : Array.isArray(ownMember(body, "output")),
  writeResults: writeResponsesResults,
  shows: showsImages,
  conversation: openaiResponsesConversation,
  toolChoice: chooseTools,
};

/** Source: `tool_choice` and `parallel_tool_calls` of platform.openai.com/docs/api-reference/responses/create. */
function chooseTools({ mode, names, parallel }: ToolChoice): ToolChoiceFields {
  const [first, ...others] = (names ?? []).map((name) => ({ type: "function", name }));
  let choice: unknown = mode;
  if (first !== undefined && mode === "required" && others.length === 0) choice = first;
  else if (first !== undefined && mode !== "none") {
    choice = { type: "allowed_tools", mode, tools: [first, ...others] };
  }
  return { request: { tool_choice: choice, ...(parallel === false && { parallel_tool_calls: false }) }, warnings: [] };
}
