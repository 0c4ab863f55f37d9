import { ownMember } from "../../json/object.ts";
import { geminiConversation } from "./conversation.ts";
import type { ConversationDialect } from "../dialect.ts";
import { geminiJson, geminiOpenApi } from "./profiles.ts";
import { readGeminiReply, showsInGemini, writeGeminiResults } from "./reply.ts";
import { parallelStays, type ToolChoice, type ToolChoiceFields } from "../tool-choice.ts";

/** Gemini generateContent. Source: ai.google.dev/api/caching#FunctionDeclaration, and the types of @google/genai 2. */
export const gemini: ConversationDialect = {
  name: "gemini",
  schemaForms: ["json", "openapi"],
  profile: ({ schema }) => (schema === "openapi" ? geminiOpenApi : geminiJson),
  declare: ({ name, description }, parameters, { schema }) => ({
    name,
    description,
    [schema === "openapi" ? "parameters" : "parametersJsonSchema"]: parameters,
  }),
  // One Tool with all declarations, not one for each.
  list: (declarations) => (declarations.length === 0 ? [] : [{ functionDeclarations: declarations }]),
  maxTools: 512,
  readReply: readGeminiReply,
  recognises: (body) => ["candidates", "parts"].some((key) => Array.isArray(ownMember(body, key))),
  writeResults: writeGeminiResults,
  shows: showsInGemini,
  conversation: geminiConversation,
  toolChoice: chooseTools,
};

const modes = { auto: "AUTO", none: "NONE", required: "ANY" } as const;

/**
 * Source: FunctionCallingConfig of ai.google.dev/api/caching. It accepts names only if a call is forced: otherwise the
 * other tools are left out of the list.
 */
function chooseTools({ mode, names, parallel }: ToolChoice): ToolChoiceFields {
  const allowed = mode === "required" ? names : undefined;
  const config = { mode: modes[mode], ...(allowed !== undefined && { allowedFunctionNames: allowed }) };
  return {
    request: { toolConfig: { functionCallingConfig: config } },
    ...(names !== undefined && mode === "auto" && { tools: names }),
    warnings: parallel === false && mode !== "none" ? [parallelStays] : [],
  };
}
