import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { createOwn } from "./own.ts";

/** Where the text of an event belongs: a field of the item, or of one part in a list of the item. */
interface TextPlace {
  readonly item: string;
  readonly part?: { readonly type: string; readonly list: List };
  readonly field: string;
}

type List = "content" | "summary";

/** By the event's type without `.delta` or `.done`, whose field has the name of the place's. */
const textPlaces: ReadonlyMap<string, TextPlace> = new Map([
  ["response.output_text", { item: "message", part: { type: "output_text", list: "content" }, field: "text" }],
  ["response.refusal", { item: "message", part: { type: "refusal", list: "content" }, field: "refusal" }],
  ["response.reasoning_text", { item: "reasoning", part: { type: "reasoning_text", list: "content" }, field: "text" }],
  [
    "response.reasoning_summary_text",
    { item: "reasoning", part: { type: "summary_text", list: "summary" }, field: "text" },
  ],
  ["response.function_call_arguments", { item: "function_call", field: "arguments" }],
  ["response.custom_tool_call_input", { item: "custom_tool_call", field: "input" }],
]);

/** One item of a response's output, put together from its events. */
export interface ResponsesItem {
  /** Takes the event's text or part; what holds neither has no place in the item. */
  write(type: string, event: JsonObject): void;
  end(): JsonObject;
}

/** @returns undefined where the event begins no item: it holds no text */
export function beginItem(type: string, event: JsonObject): ResponsesItem | undefined {
  const place = textPlaces.get(subjectOf(type));
  if (place === undefined || textIn(place, type, event) === undefined) return undefined;
  const item = createItem({ type: place.item, ...(place.item === "message" && { role: "assistant" }) });
  item.write(type, event);
  return item;
}

/** @param given what the provider told of it whole; it is not changed */
export function createItem(given: JsonObject): ResponsesItem {
  const own = createOwn();
  const item = { ...given };
  /** The parts by the index that events tell, whatever a stranger's number is: the list has no holes. */
  const lists = new Map<List, Map<number, unknown>>();
  return { write, end };

  function write(type: string, event: JsonObject): void {
    const place = textPlaces.get(subjectOf(type));
    if (/_part\.(?:added|done)$/.test(type) && isJsonObject(event["part"])) {
      const list = type.startsWith("response.reasoning_summary") ? "summary" : "content";
      partsOf(list).set(indexIn(event, list), event["part"]);
      return;
    }
    const text = place && textIn(place, type, event);
    if (place === undefined || text === undefined) return;
    const target = place.part === undefined ? item : openPart(place.part, event);
    const before = target[place.field];
    target[place.field] = isWhole(type) || typeof before !== "string" ? text : before + text;
  }

  function openPart({ type, list }: { readonly type: string; readonly list: List }, event: JsonObject): JsonObject {
    const parts = partsOf(list);
    const index = indexIn(event, list);
    const earlier = parts.get(index);
    const part = own.object(isJsonObject(earlier) ? earlier : { type });
    parts.set(index, part);
    return part;
  }

  function partsOf(list: List): Map<number, unknown> {
    const given = item[list];
    const parts = lists.get(list) ?? new Map<number, unknown>(Array.isArray(given) ? given.entries() : []);
    lists.set(list, parts);
    return parts;
  }

  function end(): JsonObject {
    const inOrder = [...lists].map(([list, parts]) => [list, [...parts].toSorted(byIndex).map(([, part]) => part)]);
    return { ...item, ...(Object.fromEntries(inOrder) as JsonObject) };
  }
}

/** Of entries whose keys are indexes, where a provider tells them. */
export function byIndex([one]: readonly [unknown, unknown], [other]: readonly [unknown, unknown]): number {
  return typeof one === "number" && typeof other === "number" ? one - other : 0;
}

function subjectOf(type: string): string {
  return type.replace(/\.(?:delta|done)$/, "");
}

function isWhole(type: string): boolean {
  return type.endsWith(".done");
}

function textIn({ field }: TextPlace, type: string, event: JsonObject): string | undefined {
  const text = event[isWhole(type) ? field : "delta"];
  return typeof text === "string" ? text : undefined;
}

function indexIn(event: JsonObject, list: List): number {
  return Number(event[`${list}_index`] ?? 0);
}
