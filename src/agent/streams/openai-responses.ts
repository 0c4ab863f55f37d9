import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { openaiResponsesProvider } from "../providers/openai-responses.ts";
import { type Accumulator, StreamError } from "./accumulator.ts";
import { beginItem, byIndex, createItem, type ResponsesItem } from "./responses-item.ts";
import { saidError } from "./said-error.ts";
import { writeAll } from "./write.ts";

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
  const response: JsonObject = {};
  let isOver = false;
  /** Some gateways stream no deltas: their text comes at the end. */
  let hasText = false;
  const items = new Map<unknown, ResponsesItem>();
  const done = new Set<unknown>();
  let latest: unknown;
  return {
    add(event) {
      if (!isJsonObject(event) || typeof event["type"] !== "string" || isOver) return "";
      const { type, response: snapshot } = event;
      if (type === "error") throw saidError(event["error"] ?? event);
      if (isJsonObject(snapshot)) writeAll(response, snapshot);
      if (ends.has(type)) {
        isOver = true;
        response["status"] = type.slice("response.".length);
        return hasText ? "" : openaiResponsesProvider.textOf({ output: output() });
      }
      latest = keyOf(event) ?? (type === "response.output_item.added" || done.has(latest) ? Symbol("item") : latest);
      if (done.has(latest)) return "";
      takeItem(type, event);
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

  function takeItem(type: string, event: JsonObject): void {
    const { item: whole } = event;
    const known = items.get(latest);
    if (!isJsonObject(whole) && known !== undefined) return known.write(type, event);
    const begun = isJsonObject(whole) ? createItem(whole) : beginItem(type, event);
    if (begun !== undefined) items.set(latest, begun);
  }

  function output(): unknown[] {
    const own = response["output"];
    if (Array.isArray(own) && own.length > 0) return withoutTwins(own);
    return withoutTwins([...items].toSorted(byIndex).map(([, item]) => item.end()));
  }
}

/** An item's id can change between its events: its index is looked at first. */
function keyOf({ output_index: index, item_id: itemId, item }: JsonObject): unknown {
  return index ?? itemId ?? (isJsonObject(item) ? item["id"] : undefined);
}

/** Calls told twice would be run twice. The later tells more: the first may stand as it was begun. */
function withoutTwins(items: readonly unknown[]): unknown[] {
  const byCall = items.map((item, index): [unknown, unknown] => {
    const isCall = isJsonObject(item) && calls.has(item["type"]) && typeof item["call_id"] === "string";
    return [isCall ? `${String(item["type"])} ${String(item["call_id"])}` : index, item];
  });
  return [...new Map(byCall).values()];
}
