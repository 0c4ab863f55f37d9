import type { Json } from "../rules/breach.ts";
import { objectsIn } from "../conversation.ts";
import { objectOf, pieces, sse } from "./pieces.ts";

/** A message as events, block by block. Source: `RawMessageStreamEvent` of @anthropic-ai/sdk 1. */
export function cutAnthropic(turn: Json): string[] {
  const { stop_reason, stop_sequence = null } = turn;
  const usage = objectOf(turn["usage"]);
  const message = {
    ...turn,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const events: Json[] = [
    { type: "message_start", message },
    { type: "ping" },
    ...objectsIn(turn["content"]).flatMap(blockEvents),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
    { type: "message_stop" },
  ];
  return events.map((event) => sse(event, String(event["type"])));
}

function blockEvents(block: Json, index: number): Json[] {
  const { opened, deltas } = blockParts(block);
  return [
    { type: "content_block_start", index, content_block: opened },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** A block as it opens, and what is added to it. What is not written bit by bit opens whole. */
function blockParts(block: Json): { opened: Json; deltas: Json[] } {
  switch (block["type"]) {
    case "text": {
      const citations = objectsIn(block["citations"]).map((citation) => ({ type: "citations_delta", citation }));
      const opened = { ...block, text: "", ...(citations.length > 0 && { citations: [] }) };
      return { opened, deltas: [...citations, ...pieces(block["text"]).map((text) => ({ type: "text_delta", text }))] };
    }
    case "thinking": {
      const thoughts = pieces(block["thinking"]).map((thinking) => ({ type: "thinking_delta", thinking }));
      const signature = { type: "signature_delta", signature: block["signature"] };
      return { opened: { ...block, thinking: "", signature: "" }, deltas: [...thoughts, signature] };
    }
    case "tool_use":
    case "server_tool_use": {
      const isEmpty = Object.keys(objectOf(block["input"])).length === 0;
      const input = ["", ...(isEmpty ? [] : pieces(JSON.stringify(block["input"])))];
      const deltas = input.map((partial_json) => ({ type: "input_json_delta", partial_json }));
      return { opened: { ...block, input: {} }, deltas };
    }
    default:
      return { opened: block, deltas: [] };
  }
}
