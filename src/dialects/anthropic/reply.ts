import { isJsonObject } from "../../json/object.ts";
import { type JsonSource } from "../../json/parse.ts";
import type { CallResult } from "../dialect.ts";
import { NotAReply, type Reply } from "../reply.ts";
import { mediaOf, piecesOf, showsImages, textsOf } from "../media.ts";
import { onePerId } from "../results.ts";
import { type FoundCall, toReply } from "../reading/found-calls.ts";
import { JsonNode } from "../reading/json-place.ts";

const cutOffs = new Set<unknown>(["max_tokens", "model_context_window_exceeded"]);
/** `compaction` comes with `pause_after_compaction`. Source: BetaStopReason of @anthropic-ai/sdk 1. */
const pauses = new Set<unknown>(["pause_turn", "compaction"]);

/** A whole message response, or the assistant's message in the form that a request contains. @throws NotAReply */
export function readAnthropicReply(source: JsonSource): Reply {
  const root = JsonNode.rootOf(source);
  const content = root.member("content");
  if (content === undefined || !isMessage(root)) {
    throw new NotAReply(
      "It must be a message of Anthropic's Messages API, or an object with the role and content of one.",
    );
  }
  const reason = root.member("stop_reason")?.value;
  const isWhole = reason !== undefined || root.member("type") !== undefined;
  return toReply({
    source,
    calls: findCalls(content),
    needsIds: true,
    finish: cutOffs.has(reason) ? "length" : reason === "refusal" ? "error" : "stop",
    isPaused: pauses.has(reason),
    remarks: reason === "refusal" ? ["The model refused to answer."] : [],
    // A request accepts no other fields of a message.
    echo: () => (isWhole ? `{"role":"assistant","content":${content.text()}}` : root.text()),
  });
}

/** ONE user message: the API refuses results in several. */
export function writeAnthropicResults(results: readonly CallResult[]): string[] {
  if (results.length === 0) return [];
  const content = onePerId(results).map((result) => {
    const written = writeContent(result);
    // The API refuses an empty text block.
    return {
      ...result.call.resultFields,
      ...(written !== "" && { content: written }),
      ...(result.outcome.status === "error" && { is_error: true }),
    };
  });
  return [JSON.stringify({ role: "user", content })];
}

function writeContent(result: CallResult): unknown {
  const pieces = piecesOf(result, showsImages);
  if (mediaOf(pieces).length === 0) return textsOf(pieces).join("\n");
  return pieces.flatMap((piece): object[] => {
    if (!("text" in piece)) {
      return [{ type: "image", source: { type: "base64", media_type: piece.mimeType, data: piece.data } }];
    }
    return piece.text === "" ? [] : [{ type: "text", text: piece.text }];
  });
}

function isMessage(root: JsonNode): boolean {
  const role = root.member("role")?.value;
  const type = root.member("type")?.value;
  const content = root.member("content")?.value;
  if (role !== "assistant" || (type !== undefined && type !== "message")) return false;
  // It is an OpenAI chat message, whose content may be a string too.
  if (root.member("tool_calls") !== undefined) return false;
  return typeof content === "string" || (Array.isArray(content) && content.every(isJsonObject));
}

/** The client's calls. A call that the server ran itself is in the same list as its result: `server_tool_use`. */
function* findCalls(content: JsonNode): Generator<FoundCall> {
  for (const block of content.elements()) {
    if (block.member("type")?.value !== "tool_use") continue;
    const toolset = block.member("toolset_name")?.value;
    yield {
      id: block.member("id")?.value,
      name: block.member("name")?.value,
      input: block.member("input"),
      head: (id) => ({
        type: "tool_result",
        tool_use_id: id,
        ...(typeof toolset === "string" && { toolset_name: toolset }),
      }),
    };
  }
}
