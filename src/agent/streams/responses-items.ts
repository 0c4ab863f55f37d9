import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { beginItem, byIndex, createItem, type ResponsesItem } from "./responses-item.ts";
import type { StreamedItem } from "./responses-output.ts";

/** The items of a streamed response, each found by what its events tell of it. */
export interface ResponsesItems {
  /** @returns the item that the event is about; undefined if it is about none */
  take(type: string, event: JsonObject): ResponsesItem | undefined;
  end(): StreamedItem[];
}

export function createResponsesItems(): ResponsesItems {
  const items = new Map<unknown, ResponsesItem>();
  const done = new Set<unknown>();
  /** The key of an item by its id, and by its index where it was known by its id first. */
  const byId = new Map<unknown, unknown>();
  const byLateIndex = new Map<unknown, unknown>();
  let latest: unknown;
  return { take, end };

  function take(type: string, event: JsonObject): ResponsesItem | undefined {
    latest = keyOf(type, event);
    const { item: whole } = event;
    const isDone = type === "response.output_item.done";
    const known = items.get(latest);
    if (!isJsonObject(whole)) {
      if (known !== undefined) known.write(type, event);
      else setItem(beginItem(type, event));
    } else {
      const item = known ?? createItem(whole);
      setItem(item);
      if (item === known || isDone) item.tell(whole, isDone);
    }
    if (isDone) done.add(latest);
    return items.get(latest);
  }

  function setItem(item: ResponsesItem | undefined): void {
    if (item !== undefined) items.set(latest, item);
  }

  function end(): StreamedItem[] {
    return [...items].toSorted(byIndex).map(([, item]) => ({ item: item.end(), isEnded: item.isEnded() }));
  }

  /** An item's id can change between its events: its index is looked at first. */
  function keyOf(type: string, { output_index: given, item_id: itemId, item }: JsonObject): unknown {
    const index = given ?? undefined;
    const id = itemId ?? (isJsonObject(item) ? item["id"] : undefined) ?? undefined;
    const known = id === undefined ? undefined : byId.get(id);
    if (index !== undefined) {
      // It was known by its id alone until now.
      if (!items.has(index) && known !== undefined && known === id) byLateIndex.set(index, known);
      const key = byLateIndex.get(index) ?? index;
      if (id !== undefined) byId.set(id, key);
      return key;
    }
    if (id === undefined) return isBegin(type) || done.has(latest) ? Symbol("item") : latest;
    const key = known ?? id;
    byId.set(id, key);
    return key;
  }
}

function isBegin(type: string): boolean {
  return type === "response.output_item.added";
}
