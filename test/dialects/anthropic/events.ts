import fc from "fast-check";
import { interleaved, piecesOf } from "../streaming/cuts.ts";

type Fields = Record<string, unknown>;

/** The events in which the API might stream a message: any cuts, blocks side by side, pings between. */
export function toAnthropicEvents(message: Fields): fc.Arbitrary<Fields[]> {
  const { content, stop_reason: reason, usage, ...head } = message;
  const blocks = (content as Fields[]).map((block, index) => eventsOf(block, index));
  const first = {
    type: "message_start",
    message: { ...head, content: [], stop_reason: null, usage: { output_tokens: 1 } },
  };
  return fc
    .tuple(fc.array(fc.constant({ type: "ping" }), { maxLength: 2 }), ...blocks)
    .chain((lists) => interleaved<Fields>(lists))
    .map((events) => [
      first,
      ...events,
      { type: "message_delta", delta: { stop_reason: reason }, usage },
      { type: "message_stop" },
    ]);
}

function eventsOf(block: Fields, index: number): fc.Arbitrary<Fields[]> {
  return deltasOf(block).map(({ start, deltas }) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
}

function deltasOf(block: Fields): fc.Arbitrary<{ start: Fields; deltas: Fields[] }> {
  if (block["type"] === "text") {
    const citations = (block["citations"] ?? []) as unknown[];
    const cited = citations.map((citation) => ({ type: "citations_delta", citation }));
    return piecesOf(String(block["text"]))
      .chain((pieces) => interleaved<Fields>([pieces.map((text) => ({ type: "text_delta", text })), cited]))
      .map((deltas) => ({ start: { ...block, text: "", ...(citations.length > 0 && { citations: [] }) }, deltas }));
  }
  if (block["type"] === "thinking") {
    return piecesOf(String(block["thinking"])).map((pieces) => ({
      start: { ...block, thinking: "", signature: "" },
      deltas: [
        ...pieces.map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block["signature"] },
      ],
    }));
  }
  if ("input" in block) {
    return fc.oneof(
      fc.constant<{ start: Fields; deltas: Fields[] }>({ start: block, deltas: [] }),
      piecesOf(JSON.stringify(block["input"])).map((pieces) => ({
        start: { ...block, input: {} },
        deltas: ["", ...pieces].map((text) => ({ type: "input_json_delta", partial_json: text })),
      })),
    );
  }
  return fc.constant({ start: block, deltas: [] });
}
