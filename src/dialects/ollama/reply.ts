import type { JsonSource } from "../../json/parse.ts";
import type { CallResult } from "../dialect.ts";
import { type Finish, NotAReply, type Reply } from "../reply.ts";
import { mediaOf, piecesOf, showsImages, textsOf } from "../media.ts";
import { isChatMessage } from "../reading/chat-message.ts";
import { type FoundCall, toReply } from "../reading/found-calls.ts";
import { JsonNode } from "../reading/json-place.ts";
import { toolCallsOf } from "../reading/tool-calls.ts";

/** Ollama-compatible services may write arguments as text; the server itself refuses them when they come back. */
const argumentsAsText =
  "The arguments are text. Ollama accepts them only as an object: change the assistant's message.";

/** A whole response of /api/chat, or its message. @throws NotAReply */
export function readOllamaReply(source: JsonSource): Reply {
  const root = JsonNode.rootOf(source);
  const message = root.member("message") ?? root;
  if (!isChatMessage(message)) throw new NotAReply("It must be an answer of Ollama's /api/chat, or its message.");
  const { calls, remarks } = toolCallsOf(message, message === root ? undefined : root);
  return toReply({
    source,
    calls: findCalls(calls),
    remarks,
    needsIds: false,
    finish: finishOf(root),
    echo: () => message.text(),
  });
}

/** One tool message per result. Servers that do not support ids pair them by order. */
export function writeOllamaResults(results: readonly CallResult[]): string[] {
  return results.map((result) => {
    const pieces = piecesOf(result, showsImages);
    const images = mediaOf(pieces).map(({ data }) => data);
    const content = textsOf(pieces).join("\n");
    return JSON.stringify({ ...result.call.resultFields, content, ...(images.length > 0 && { images }) });
  });
}

/** A server that fails midway adds an error to the partial reply. */
function finishOf(root: JsonNode): Finish {
  if (root.member("error")?.value != null) return "error";
  return root.member("done_reason")?.value === "length" ? "length" : "stop";
}

function* findCalls(calls: Iterable<JsonNode>): Generator<FoundCall> {
  for (const call of calls) {
    const named = call.member("function");
    const input = named?.member("arguments");
    yield {
      id: call.member("id")?.value,
      name: named?.member("name")?.value,
      input,
      remark: typeof input?.value === "string" ? argumentsAsText : undefined,
      head: (id, name) => ({ role: "tool", tool_name: name, ...(id !== undefined && { tool_call_id: id }) }),
    };
  }
}
