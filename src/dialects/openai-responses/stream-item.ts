import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { isEmptyObject } from "../streaming/arguments-text.ts";
import { createOwn } from "../streaming/owned.ts";
import { isText } from "../streaming/present.ts";
import { callField, createCallText, isCall, withKnown } from "./stream-call.ts";

/** Where the text of an event belongs: a field of the item, or of one part in a list of the item. */
interface TextPlace {
  readonly item: string;
  readonly part?: { readonly type: string; readonly list: List };
  readonly field: string;
}

type List = "content" | "summary";

/** By the event's type without `.delta` or `.done`. The event's field has the same name as the target's. */
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

/** One item of a response's output, assembled from its events. */
export interface ResponsesItem {
  readonly type: unknown;
  /** For a message: `commentary` precedes the `final_answer`. */
  readonly phase: unknown;
  /** Adds the event's text or part. Events with neither are ignored. */
  write(type: string, event: JsonObject): void;
  /** Sets the item from an event that contains all of it, at its begin or its end. */
  setWhole(whole: JsonObject, isDone: boolean): void;
  /** Whether an event with a whole item, at its begin or its end, belongs to another item. */
  isOther(whole: JsonObject, isLast: boolean): boolean;
  /** Whether it is done, or all of a call's text has arrived. */
  isEnded(): boolean;
  end(): JsonObject;
}

/** Whether an event contains text of a call, but the item is not a call. */
export function isMisplaced(type: string, item: ResponsesItem): boolean {
  const place = placeOf(type);
  return place !== undefined && place.part === undefined && isText(item.type) && item.type !== place.item;
}

/** @returns undefined if the event does not begin an item: it contains no text */
export function beginItem(type: string, event: JsonObject): ResponsesItem | undefined {
  const place = placeOf(type);
  if (place === undefined || textIn(place, type, event) === undefined) return undefined;
  const item = createItem({ type: place.item, ...(place.item === "message" && { role: "assistant" }) });
  item.write(type, event);
  return item;
}

/** @param given the whole item as the provider sent it; it is not changed */
export function createItem(given: JsonObject): ResponsesItem {
  const own = createOwn();
  let item = { ...given };
  let isDone = false;
  /** The parts by the index in the events. Any index of an unknown service works: the list has no holes. */
  const lists = new Map<List, Map<number, unknown>>();
  const text = createCallText(given);
  return {
    get type() {
      return item["type"];
    },
    get phase() {
      return item["phase"];
    },
    write,
    setWhole,
    isOther,
    isEnded: () => isDone || text.isWhole(),
    end,
  };

  function write(type: string, event: JsonObject): void {
    const place = placeOf(type);
    if (place?.part === undefined && place !== undefined) {
      if (isText(item["type"]) && !isCall(item)) return;
      item = withKnown(item, event, ["name", "call_id"]);
      const written = textIn(place, type, event);
      if (written === undefined || place.field !== callField(item)) return;
      if (isWhole(type)) text.setWhole(written);
      else text.add(written);
    } else if (!isDone) writePart(type, event);
  }

  function writePart(type: string, event: JsonObject): void {
    const place = placeOf(type);
    if (/_part\.(?:added|done)$/.test(type) && isJsonObject(event["part"])) {
      const list = type.startsWith("response.reasoning_summary") ? "summary" : "content";
      partsOf(list).set(indexIn(event, list), event["part"]);
      return;
    }
    const written = place && textIn(place, type, event);
    if (place?.part === undefined || written === undefined) return;
    const target = openPart(place.part, event);
    const before = target[place.field];
    target[place.field] = isWhole(type) || typeof before !== "string" ? written : before + written;
  }

  /** The values of a done event are final; "" and null never replace a known id or name. */
  function setWhole(whole: JsonObject, isLast: boolean): void {
    if (isDone) item = withKnown(item, whole, ["name", "call_id", "id"]);
    else {
      for (const list of ["content", "summary"] as const) if (isFull(whole[list])) lists.delete(list);
      const streamed = [...lists.keys()].filter((list) => !isFull(whole[list]));
      const kept = Object.fromEntries(streamed.map((list) => [list, item[list]]));
      item = withKnown({ ...whole, ...kept }, item, ["name", "call_id", "id", "type", "phase"]);
    }
    isDone ||= isLast;
    const value = whole[callField(item)];
    const written = typeof value === "string" ? value : value == null ? "" : JSON.stringify(value);
    // An empty object at the start of a call does not count after its text has begun.
    if (isLast || !isEmptyObject(written) || !text.isBegun()) text.setWhole(written);
  }

  /** Until the item is done, only its ids may change. */
  function isOther(whole: JsonObject, isLast: boolean): boolean {
    if (isText(whole["type"]) && whole["type"] !== item["type"]) return true;
    const hasOtherId = isOtherText(item["id"], whole["id"]);
    if (isCall(whole)) return isOtherText(item["call_id"], whole["call_id"]) && (isDone || !isLast);
    return (
      isDone && hasOtherId && (!isLast || JSON.stringify({ ...item, id: "" }) !== JSON.stringify({ ...whole, id: "" }))
    );
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
    const listed = item[list];
    const parts = lists.get(list) ?? new Map<number, unknown>(Array.isArray(listed) ? listed.entries() : []);
    lists.set(list, parts);
    return parts;
  }

  function end(): JsonObject {
    const inOrder = [...lists].map(([list, parts]) => [list, [...parts].toSorted(byIndex).map(([, part]) => part)]);
    const written = text.text();
    return {
      ...item,
      ...(Object.fromEntries(inOrder) as JsonObject),
      ...(written !== undefined && { [callField(item)]: written }),
    };
  }
}

function isOtherText(one: unknown, other: unknown): boolean {
  return isText(one) && isText(other) && one !== other;
}

/** Sorts entries whose keys are indexes, if the provider sends them. */
export function byIndex([one]: readonly [unknown, unknown], [other]: readonly [unknown, unknown]): number {
  return typeof one === "number" && typeof other === "number" ? one - other : 0;
}

function placeOf(type: string): TextPlace | undefined {
  return textPlaces.get(type.replace(/\.(?:delta|done)$/, ""));
}

function isFull(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
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
