import type { Json } from "../rules/breach.ts";
import { dig, objectsIn } from "../conversation.ts";
import { interleave, objectOf, pieces, sse, without } from "./pieces.ts";

/**
 * A chat completion as chunks. Source: `ChatCompletionChunk` of the npm package openai 6; fields of other vendors come as
 * theirs do: text in pieces, all else at once.
 */
export function cutOpenAI(turn: Json, body: Json): string[] {
  const head = { ...without(turn, "choices", "usage"), object: "chat.completion.chunk" };
  const countsTokens = dig(body, "stream_options", "include_usage") === true;
  const uncounted = countsTokens ? { usage: null } : {};
  const chunks: Json[] = objectsIn(turn["choices"]).flatMap((choice) => {
    const told = { index: choice["index"], logprobs: null, finish_reason: null };
    const deltas = deltasOf(objectOf(choice["message"])).map((delta) => ({ ...told, delta }));
    return [...deltas, { ...told, delta: {}, finish_reason: choice["finish_reason"] }];
  });
  return [
    ...chunks.map((choice) => sse({ ...head, choices: [choice], ...uncounted })),
    ...(countsTokens ? [sse({ ...head, choices: [], usage: turn["usage"] })] : []),
    "data: [DONE]\n\n",
  ];
}

function deltasOf(message: Json): Json[] {
  const { role, content, refusal } = message;
  const more = without(message, "role", "content", "refusal", "annotations", "tool_calls");
  const vendor = Object.entries(more).flatMap(([field, value]) =>
    typeof value === "string" ? pieces(value).map((piece) => ({ [field]: piece })) : [{ [field]: value }],
  );
  return [
    { role, content: typeof content === "string" ? "" : null, refusal: null },
    ...vendor,
    ...pieces(content).map((piece) => ({ content: piece })),
    ...pieces(refusal).map((piece) => ({ refusal: piece })),
    ...interleave(objectsIn(message["tool_calls"]).map(callDeltas)),
  ];
}

/** A call's id and name, and then its arguments bit by bit. */
function callDeltas(call: Json, index: number): Json[] {
  const kind = call["type"] === "custom" ? "custom" : "function";
  const field = kind === "custom" ? "input" : "arguments";
  const opening = { ...call, index, [kind]: { ...objectOf(call[kind]), [field]: "" } };
  const rest = pieces(dig(call, kind, field)).map((piece) => ({ index, [kind]: { [field]: piece } }));
  return [opening, ...rest].map((delta) => ({ tool_calls: [delta] }));
}
