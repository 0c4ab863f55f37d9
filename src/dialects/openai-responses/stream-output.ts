import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { joinArguments } from "../streaming/call-arguments.ts";
import { isText } from "../streaming/present.ts";
import { callField, callContent, isCall, isSameCall, withKnown } from "./stream-call.ts";

/** An item as assembled from its events. */
export interface StreamedItem {
  readonly item: JsonObject;
  readonly isEnded: boolean;
}

/**
 * The output of a response: the list of its last event, completed with streamed items and fields that the list omits or
 * leaves empty.
 * @param isCompleted the provider reports that the response is complete: then calls in it are complete if their text is
 */
export function joinOutput(listed: unknown, streamed: readonly StreamedItem[], isCompleted: boolean): unknown[] {
  const items = withoutBegun(streamed);
  if (!Array.isArray(listed) || listed.length === 0) return items.map((one) => settle(one, isCompleted));
  const own: unknown[] = [...(listed as unknown[])];
  const places = matchItems(own, items);
  places.forEach((place, at) => {
    if (place !== undefined) own[place] = fill(own[place] as JsonObject, items[at]!.item);
  });
  const missing = findMissing(own, items, places, isCompleted);
  const ended = own.map((item) => (isJsonObject(item) ? settle({ item, isEnded: true }, isCompleted) : item));
  return [...ended, undefined].flatMap((item, place) => [
    ...(missing.get(place) ?? []).toReversed(),
    ...(place < ended.length ? [item] : []),
  ]);
}

/**
 * Calls that the list omits, and the reasoning before them, without which the API refuses them.
 * @returns them by the index in the list that they precede, the last first
 */
function findMissing(
  own: readonly unknown[],
  items: readonly StreamedItem[],
  places: readonly (number | undefined)[],
  isCompleted: boolean,
): Map<number, JsonObject[]> {
  const missing = new Map<number, JsonObject[]>();
  let next = own.length;
  let isBeforeCall = false;
  items.toReversed().forEach((streamed, fromEnd) => {
    const place = places[items.length - 1 - fromEnd];
    const { item, isEnded } = streamed;
    const isReasoning = item["type"] === "reasoning";
    if (!isReasoning) isBeforeCall = place === undefined && isCall(item) && (isCompleted || isEnded);
    if (place !== undefined) next = place;
    else if (isBeforeCall && (!isReasoning || isEnded)) {
      const list = missing.get(next) ?? [];
      missing.set(next, list);
      list.push(settle(streamed, isCompleted));
    }
  });
  return missing;
}

/** @returns for each streamed item the index of the same item in the list, if it is there */
function matchItems(own: readonly unknown[], items: readonly StreamedItem[]): (number | undefined)[] {
  const places = new Map<string, number[]>();
  own.forEach((item, place) => {
    for (const key of keysOf(item)) {
      const same = places.get(key) ?? [];
      places.set(key, same);
      same.push(place);
    }
  });
  const taken = new Set<number>();
  const found = items.map(({ item }) => {
    const same = keysOf(item).flatMap((key) => places.get(key) ?? []);
    const free = same.filter((place) => !taken.has(place));
    return take(free.find((place) => isEqual(own[place], item)) ?? free.find((place) => isSame(own[place], item)));
  });
  // Some gateways use other ids in the last event: calls with the same content are the same, and so are messages at the
  // same index.
  const byContent = new Map<string, number[]>();
  for (const [place, item] of [...own.entries()].toReversed()) {
    if (!isJsonObject(item) || !isCall(item) || taken.has(place)) continue;
    const content = callContent(item);
    const same = byContent.get(content) ?? [];
    byContent.set(content, same);
    same.push(place);
  }
  return found.map((place, at) => {
    const { item } = items[at]!;
    if (place !== undefined) return place;
    if (isCall(item)) return take(byContent.get(callContent(item))?.pop());
    return !taken.has(at) && isMessage(own[at]) && isMessage(item) ? take(at) : undefined;
  });

  function take(place: number | undefined): number | undefined {
    if (place !== undefined) taken.add(place);
    return place;
  }
}

function isMessage(item: unknown): boolean {
  return isJsonObject(item) && item["type"] === "message";
}

function keysOf(item: unknown): string[] {
  if (!isJsonObject(item)) return [];
  const { type, id, call_id: callId } = item;
  const ids = isCall(item) ? [["call", type, callId]] : [];
  return [...ids, ["item", type, id]].filter(([, , key]) => isText(key)).map((key) => JSON.stringify(key));
}

function isEqual(own: unknown, item: JsonObject): boolean {
  return isJsonObject(own) && (!isCall(own) || isSameCall(own, item));
}

/** Whether both can be one call, regardless of its arguments. */
function isSame(own: unknown, item: JsonObject): boolean {
  return (
    isJsonObject(own) && isCall(own) && (!isText(own["name"]) || !isText(item["name"]) || own["name"] === item["name"])
  );
}

/** An item of the list, with its empty fields filled in from the streamed item. */
function fill(own: JsonObject, item: JsonObject): JsonObject {
  if (isCall(own)) {
    const field = callField(own);
    const text = joinArguments(item[field], own[field]);
    return { ...withKnown(own, item, ["name", "call_id", "id"]), ...(text !== undefined && { [field]: text }) };
  }
  const { type } = own;
  return type === "message" && !hasText(own) && hasText(item) ? { ...own, content: item["content"] } : own;
}

function hasText({ content }: JsonObject): boolean {
  return (
    Array.isArray(content) &&
    content.some((part) => isJsonObject(part) && (isText(part["text"]) || isText(part["refusal"])))
  );
}

/** A complete response has no calls in progress: a complete call only had no done event. */
function settle({ item, isEnded }: StreamedItem, isCompleted: boolean): JsonObject {
  const isOpen = isCompleted && isEnded && isCall(item) && item["status"] === "in_progress";
  return isOpen && isText(item[callField(item)]) ? { ...item, status: "completed" } : item;
}

/**
 * A call that began as one item and ended as another is one call: some gateways change ids and indexes between the
 * events.
 */
function withoutBegun(streamed: readonly StreamedItem[]): StreamedItem[] {
  const items: StreamedItem[] = [];
  const byCall = new Map<string, number>();
  for (const next of streamed) {
    const { call_id: callId, type } = next.item;
    const key = JSON.stringify([type, callId]);
    const place = isCall(next.item) && isText(callId) ? byCall.get(key) : undefined;
    const before = place === undefined ? undefined : items[place];
    if (place === undefined || before === undefined || !isOne(before, next)) {
      byCall.set(key, items.push(next) - 1);
      continue;
    }
    const [rest, whole] = before.isEnded ? [next, before] : [before, next];
    items[place] = { item: fill(whole.item, rest.item), isEnded: whole.isEnded };
  }
  return items;
}

/** If both have ended, they are two calls, and the reader of the calls decides. */
function isOne(one: StreamedItem, other: StreamedItem): boolean {
  return !(one.isEnded && other.isEnded) && isSameCall(one.item, other.item);
}
