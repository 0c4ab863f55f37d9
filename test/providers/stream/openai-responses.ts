import type { Json } from "../rules/breach.ts";
import { objectsIn } from "../conversation.ts";
import { pieces, sse, without } from "./pieces.ts";

/** A response as events, one item after the other. Source: `ResponseStreamEvent` of the npm package openai 6. */
export function cutResponses(turn: Json): string[] {
  const started = { ...turn, status: "in_progress", output: [], usage: null, incomplete_details: null, error: null };
  const events: Json[] = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...objectsIn(turn["output"]).flatMap(itemEvents),
    { type: `response.${String(turn["status"])}`, response: turn },
  ];
  return events.map(({ type, ...event }, place) => sse({ type, sequence_number: place, ...event }, String(type)));
}

function itemEvents(item: Json, output_index: number): Json[] {
  const at = { item_id: item["id"], output_index };
  const { opened, inner } = itemParts(item);
  return [
    { type: "response.output_item.added", output_index, item: { ...opened } },
    ...inner.map((event) => ({ ...event, type: `response.${String(event["type"])}`, ...at })),
    { type: "response.output_item.done", output_index, item },
  ];
}

/** An item as it is at first, and what comes in between. */
function itemParts(item: Json): { opened: Json; inner: Json[] } {
  const begun = Object.hasOwn(item, "status") ? { ...item, status: "in_progress" } : item;
  switch (item["type"]) {
    case "function_call": {
      const { name } = item;
      const inner = written("function_call_arguments", "arguments", item["arguments"], {}, { name });
      return { opened: { ...begun, arguments: "" }, inner };
    }
    case "custom_tool_call":
      return { opened: { ...begun, input: "" }, inner: written("custom_tool_call_input", "input", item["input"]) };
    case "message":
      return { opened: { ...begun, content: [] }, inner: objectsIn(item["content"]).flatMap(contentEvents) };
    case "reasoning":
      return { opened: openedReasoning(begun), inner: reasoningEvents(item) };
    default:
      return { opened: begun, inner: [] };
  }
}

/** Pieces of a text, and the whole of it. */
function written(event: string, field: string, text: unknown, at: Json = {}, more: Json = {}): Json[] {
  return [
    ...pieces(text).map((delta) => ({ type: `${event}.delta`, ...at, delta })),
    { type: `${event}.done`, ...at, [field]: text, ...more },
  ];
}

function contentEvents(part: Json, content_index: number): Json[] {
  const at = { content_index };
  const isRefusal = part["type"] === "refusal";
  const field = isRefusal ? "refusal" : "text";
  const empty = { ...part, [field]: "", ...(isRefusal ? {} : { annotations: [] }) };
  const logprobs = isRefusal ? {} : { logprobs: [] };
  return [
    { type: "content_part.added", ...at, part: empty },
    ...written(isRefusal ? "refusal" : "output_text", field, part[field], { ...at, ...logprobs }),
    ...objectsIn(part["annotations"]).map((annotation, annotation_index) => {
      return { type: "output_text.annotation.added", ...at, annotation_index, annotation };
    }),
    { type: "content_part.done", ...at, part },
  ];
}

/** What is encrypted changes until the item is done: the first of it is of no use. */
function openedReasoning(item: Json): Json {
  const opened = { ...without(item, "content"), summary: [] };
  return typeof item["encrypted_content"] === "string" ? { ...opened, encrypted_content: "gAAAAAunfinished" } : opened;
}

function reasoningEvents(item: Json): Json[] {
  const summary = objectsIn(item["summary"]).flatMap((part, summary_index): Json[] => {
    const at = { summary_index };
    return [
      { type: "reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
      ...written("reasoning_summary_text", "text", part["text"], at),
      { type: "reasoning_summary_part.done", ...at, part },
    ];
  });
  const content = objectsIn(item["content"]).flatMap((part, content_index) =>
    written("reasoning_text", "text", part["text"], { content_index }),
  );
  return [...summary, ...content];
}
