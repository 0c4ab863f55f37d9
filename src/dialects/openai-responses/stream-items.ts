import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { objectIn } from "../streaming/call-arguments.ts";
import { isText } from "../streaming/present.ts";
import { beginItem, byIndex, createItem, isMisplaced, type ResponsesItem } from "./stream-item.ts";
import type { StreamedItem } from "./stream-output.ts";

/** The items of a streamed response. Each event is assigned to its item. */
export interface ResponsesItems {
  /** @returns the item that the event is about; undefined if there is none */
  take(type: string, event: JsonObject): ResponsesItem | undefined;
  end(): StreamedItem[];
}

/**
 * Some gateways send an output_index that counts something other than items, such as the pieces of a text. This shows
 * only at the end, because text may also arrive before the event that begins its item: then the events are read again
 * without the index.
 */
export function createResponsesItems(): ResponsesItems {
  const taken: (readonly [string, JsonObject])[] = [];
  const items = createKeyedItems();
  return {
    take(type, event) {
      taken.push([type, event]);
      return items.take(type, event);
    },
    end() {
      const byIndexes = items.end();
      if (!items.hasStrayText() && byIndexes.every(isReadable)) return byIndexes;
      const inOrder = createKeyedItems();
      for (const [type, { output_index: _, ...event }] of taken) inOrder.take(type, event);
      const read = inOrder.end();
      return inOrder.hasStrayText() || !read.every(isReadable) ? byIndexes : read;
    },
  };
}

/** Whether the arguments of a call can be parsed. */
function isReadable({ item }: StreamedItem): boolean {
  const { type, arguments: text } = item;
  return type !== "function_call" || typeof text !== "string" || text === "" || objectIn(text) !== undefined;
}

interface KeyedItems extends ResponsesItems {
  /**
   * Whether there is text of an item that no event announced, in addition to an announced item of its type, or text at
   * an item of another type.
   */
  hasStrayText(): boolean;
}

function createKeyedItems(): KeyedItems {
  const items = new Map<unknown, ResponsesItem>();
  /** The keys of items that have only text and no id. */
  const strays = new Set<unknown>();
  let hasMisplaced = false;
  const done = new Set<unknown>();
  /**
   * The key of an item by its ids, and by its index if it was first known by its id, or if another item has the same
   * index.
   */
  const byId = new Map<unknown, unknown>();
  const byLateIndex = new Map<unknown, unknown>();
  /** The index of an item whose key is not its index. */
  const places = new Map<unknown, unknown>();
  let latest: unknown;
  return { take, end, hasStrayText };

  function take(type: string, event: JsonObject): ResponsesItem | undefined {
    latest = keyOf(type, event);
    const { item: whole } = event;
    const isDone = type === "response.output_item.done";
    const known = items.get(latest);
    if (!isJsonObject(whole)) {
      if (known !== undefined) known.write(type, event);
      else setItem(beginItem(type, event));
      const isNamed = isText(event["item_id"]);
      if (known === undefined && !isNamed) strays.add(latest);
      hasMisplaced ||= known !== undefined && !isNamed && isMisplaced(type, known);
    } else {
      strays.delete(latest);
      const item = known ?? createItem(whole);
      setItem(item);
      if (item === known || isDone) item.setWhole(whole, isDone);
    }
    if (isDone) done.add(latest);
    return items.get(latest);
  }

  function setItem(item: ResponsesItem | undefined): void {
    if (item !== undefined) items.set(latest, item);
  }

  function end(): StreamedItem[] {
    return [...items]
      .map(([key, item]) => [places.get(key) ?? key, item] as const)
      .toSorted(byIndex)
      .map(([, item]) => ({ item: item.end(), isEnded: item.isEnded() }));
  }

  function hasStrayText(): boolean {
    if (hasMisplaced || strays.size === 0) return hasMisplaced;
    const announced = new Set([...items].flatMap(([key, { type }]) => (strays.has(key) ? [] : [type])));
    return [...strays].some((key) => announced.has(items.get(key)?.type));
  }

  /** An item's id can change between its events: its index is used first, unless the ids are known at that index. */
  function keyOf(type: string, { output_index: given, item_id: itemId, item }: JsonObject): unknown {
    const index = readIndex(given);
    const whole = isJsonObject(item) ? item : {};
    const ids = [itemId, whole["id"], whole["call_id"]].filter((id) => id != null && id !== "");
    const known = ids.map((id) => byId.get(id)).find((key) => key !== undefined);
    const found = index === undefined ? keyById(type, ids, known) : keyByIndex(index, ids, known);
    const isOther = items.get(found)?.isOther(whole, type === "response.output_item.done") === true;
    const key = isOther ? Symbol("item") : found;
    if (isOther && index !== undefined) byLateIndex.set(index, key);
    if (index !== undefined && key !== index) places.set(key, index);
    for (const id of ids) byId.set(id, key);
    return key;
  }

  function keyByIndex(index: unknown, ids: readonly unknown[], known: unknown): unknown {
    // Several items began at this index: the ids distinguish them.
    if (known !== undefined && (known === index || places.get(known) === index)) return known;
    // It was known only by its id until now.
    if (!items.has(index) && ids.includes(known)) byLateIndex.set(index, known);
    return byLateIndex.get(index) ?? index;
  }

  function keyById(type: string, ids: readonly unknown[], known: unknown): unknown {
    if (ids.length === 0) return isBegin(type) || done.has(latest) ? Symbol("item") : latest;
    return known ?? ids[0];
  }
}

/** Some services send a number as text. */
function readIndex(index: unknown): unknown {
  return typeof index === "string" && /^\d{1,9}$/.test(index) ? Number(index) : (index ?? undefined);
}

function isBegin(type: string): boolean {
  return type === "response.output_item.added";
}
