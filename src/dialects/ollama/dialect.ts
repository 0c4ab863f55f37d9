import { isJsonObject, ownMember } from "../../json/object.ts";
import { ollamaConversation } from "./conversation.ts";
import type { ConversationDialect } from "../dialect.ts";
import { ollamaProfile } from "./profile.ts";
import { firstCall } from "../reading/tool-calls.ts";
import { readOllamaReply, writeOllamaResults } from "./reply.ts";
import { showsImages } from "../media.ts";
import { addSentences } from "../schema/write/describe.ts";
import { chooseByList } from "../tool-choice.ts";

/** Ollama's /api/chat. Source: api/types.go of ollama/ollama: the server silently drops unknown fields. */
export const ollama: ConversationDialect = {
  name: "ollama",
  profile: () => ollamaProfile,
  // The server's root schema has no description.
  declare: ({ name, description }, { description: words, ...parameters }) => ({
    type: "function",
    function: {
      name,
      description: addSentences(description, typeof words === "string" ? [words] : []),
      parameters: { required: [], ...parameters },
    },
  }),
  list: (declarations) => declarations,
  readReply: readOllamaReply,
  // Its arguments are an object; those of OpenAI are text.
  recognises: (body) => isJsonObject(ownMember(body, "message")) || isJsonObject(firstCall(body)?.["arguments"]),
  writeResults: writeOllamaResults,
  shows: showsImages,
  conversation: ollamaConversation,
  toolChoice: chooseByList,
};
