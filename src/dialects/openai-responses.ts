import type { Dialect } from "./dialect.ts";
import { readResponsesReply, writeResponsesResults } from "./replies/openai-responses.ts";
import { showsImages } from "./media.ts";
import type { ToolChoice, ToolChoiceFields } from "./tool-choice.ts";

/** OpenAI Responses. Source: platform.openai.com/docs/api-reference/responses, and the types of the npm package openai 6. */
export const openaiResponses: Dialect = {
  name: "openai-responses",
  profile: ({ strict }) => (strict ? "openai-strict" : "openai"),
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
  readReply: readResponsesReply,
  writeResults: writeResponsesResults,
  shows: showsImages,
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
