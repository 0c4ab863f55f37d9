import { isJsonObject, ownMember } from "../../json/object.ts";
import type { Dialect } from "../dialect.ts";
import { firstCall } from "../reading/tool-calls.ts";
import { readOllamaReply, writeOllamaResults } from "./reply.ts";
import { showsImages } from "../media.ts";
import { addSentences } from "../schema/write/describe.ts";
import { chooseByList } from "../tool-choice.ts";

/** Ollama's /api/chat. Source: api/types.go of ollama/ollama: what is not a field there is dropped in silence. */
export const ollama: Dialect = {
  name: "ollama",
  profile: () => "ollama",
  // The root has no description of its own there.
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
  // Its arguments are an object, and those of OpenAI a text.
  recognises: (body) => isJsonObject(ownMember(body, "message")) || isJsonObject(firstCall(body)?.["arguments"]),
  writeResults: writeOllamaResults,
  shows: showsImages,
  toolChoice: chooseByList,
};
