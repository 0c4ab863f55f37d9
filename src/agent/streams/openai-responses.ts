import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { openaiResponsesProvider } from "../providers/openai-responses.ts";
import { type Accumulator, StreamError } from "./accumulator.ts";
import { saidError } from "./said-error.ts";

/** Where the text of an event belongs: a field of the item, or of one part in a list of the item. */
interface TextPlace {
  readonly item: string;
  readonly part?: { readonly type: string; readonly list: "content" | "summary" };
  readonly field: string;
}

/** By the event's type without `.delta` or `.done`, whose field has the name of the place's. */
const textPlaces: Readonly<Record<string, TextPlace>> = {
  "response.output_text": { item: "message", part: { type: "output_text", list: "content" }, field: "text" },
  "response.refusal": { item: "message", part: { type: "refusal", list: "content" }, field: "refusal" },
  "response.reasoning_text": { item: "reasoning", part: { type: "reasoning_text", list: "content" }, field: "text" },
  "response.reasoning_summary_text": {
    item: "reasoning",
    part: { type: "summary_text", list: "summary" },
    field: "text",
  },
  "response.function_call_arguments": { item: "function_call", field: "arguments" },
  "response.custom_tool_call_input": { item: "custom_tool_call", field: "input" },
};
const ends = new Set(["completed", "incomplete", "failed", "cancelled"].map((status) => `response.${status}`));
/** What they bring is for the user. */
const spoken: ReadonlySet<string> = new Set(["response.output_text.delta", "response.refusal.delta"]);
const calls: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);

/**
 * Events of OpenAI Responses → the response. The last event's own output is taken where it holds any, what was streamed
 * where it is empty, as some gateways send it. Its `end` throws StreamError where no event ended the response.
 * Source: platform.openai.com/docs/api-reference/responses-streaming.
 */
export function createOpenAiResponsesAccumulator(): Accumulator {
  let response: JsonObject = {};
  let isOver = false;
  /** Some gateways stream no deltas: their text comes at the end. */
  let hasText = false;
  const items = new Map<unknown, JsonObject>();
  const done = new Set<unknown>();
  let latest: unknown;
  return {
    add(event) {
      if (!isJsonObject(event) || typeof event["type"] !== "string" || isOver) return "";
      const { type, item, response: snapshot } = event;
      if (type === "error") throw saidError(event["error"] ?? event);
      if (isJsonObject(snapshot)) response = { ...response, ...snapshot };
      if (ends.has(type)) {
        isOver = true;
        response = { ...response, status: type.slice("response.".length) };
        return hasText ? "" : openaiResponsesProvider.textOf({ output: output() });
      }
      latest = keyOf(event) ?? (type === "response.output_item.added" || done.has(latest) ? Symbol("item") : latest);
      if (done.has(latest)) return "";
      const changed = isJsonObject(item) ? item : writeText(items.get(latest), type, event);
      if (changed !== undefined) items.set(latest, changed);
      if (type === "response.output_item.done") done.add(latest);
      if (!spoken.has(type) || typeof event["delta"] !== "string") return "";
      hasText = true;
      return event["delta"];
    },
    end() {
      if (!isOver) throw new StreamError("The stream ended before the response was complete.");
      return { ...response, output: output() };
    },
  };

  function output(): unknown[] {
    const own = response["output"];
    if (Array.isArray(own) && own.length > 0) return withoutTwins(own);
    return withoutTwins([...items].toSorted(byIndex).map(([, item]) => item));
  }
}

/** An item's id can change between its events: its index is looked at first. */
function keyOf({ output_index: index, item_id: itemId, item }: JsonObject): unknown {
  return index ?? itemId ?? (isJsonObject(item) ? item["id"] : undefined);
}

/** @returns the item with the event's text in it; undefined where the event holds none */
function writeText(item: JsonObject | undefined, type: string, event: JsonObject): JsonObject | undefined {
  if (/_part\.(?:added|done)$/.test(type) && isJsonObject(event["part"]) && item !== undefined) {
    const isSummary = type.startsWith("response.reasoning_summary");
    return withPart(item, isSummary ? "summary" : "content", event, () => event["part"]);
  }
  const isWhole = type.endsWith(".done");
  const place = textPlaces[type.replace(/\.(?:delta|done)$/, "")];
  if (place === undefined) return undefined;
  const { field, part } = place;
  const text = event[isWhole ? field : "delta"];
  if (typeof text !== "string") return undefined;
  const write = (target: JsonObject): JsonObject => ({
    ...target,
    [field]: isWhole || typeof target[field] !== "string" ? text : target[field] + text,
  });
  const written = item ?? { type: place.item, ...(place.item === "message" && { role: "assistant" }) };
  if (part === undefined) return write(written);
  return withPart(written, part.list, event, (old) => write(isJsonObject(old) ? old : { type: part.type }));
}

function withPart(
  item: JsonObject,
  list: "content" | "summary",
  event: JsonObject,
  change: (part: unknown) => unknown,
): JsonObject {
  const index = Number(event[`${list}_index`] ?? 0);
  const parts = Array.isArray(item[list]) ? [...(item[list] as unknown[])] : [];
  // Without holes, whatever the index: nobody could send back a list that a stranger's number has made long.
  const place = parts.length > index && index >= 0 ? index : parts.length;
  parts[place] = change(parts[place]);
  return { ...item, [list]: parts };
}

function byIndex([one]: readonly [unknown, unknown], [other]: readonly [unknown, unknown]): number {
  return typeof one === "number" && typeof other === "number" ? one - other : 0;
}

/** Calls told twice would be run twice. The later tells more: the first may stand as it was begun. */
function withoutTwins(items: readonly unknown[]): unknown[] {
  const byCall = items.map((item, index): [unknown, unknown] => {
    const isCall = isJsonObject(item) && calls.has(item["type"]) && typeof item["call_id"] === "string";
    return [isCall ? `${String(item["type"])} ${String(item["call_id"])}` : index, item];
  });
  return [...new Map(byCall).values()];
}
