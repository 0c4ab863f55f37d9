import { isJsonObject, type JsonObject, safeEntries } from "../../json/object.ts";
import { createOwn } from "./owned.ts";

/**
 * Adds to what was said until now what a delta tells: pieces of text and lists are joined, objects merged, all else is
 * replaced. null and "" say nothing where something was said. Writes into the target, and never into what a delta held.
 * @param isPiece whether the string under a key goes on from the one before
 */
export type MergeDelta = (target: JsonObject, delta: JsonObject, isPiece?: (key: string) => boolean) => void;

/** What comes in pieces inside of objects. All other strings there are told whole, by some servers again and again. */
const innerPieces: ReadonlySet<string> = new Set(["arguments", "input", "data", "transcript"]);
const isInnerPiece = (key: string): boolean => innerPieces.has(key);

/** One for each reply: it remembers what it made. */
export function createMergeDelta(): MergeDelta {
  const own = createOwn();
  return merge;

  function merge(target: JsonObject, delta: JsonObject, isPiece = isInnerPiece): void {
    for (const [key, value] of safeEntries(delta)) {
      target[key] = join(Object.hasOwn(target, key) ? target[key] : undefined, value, isPiece(key));
    }
  }

  function join(before: unknown, value: unknown, isPiece: boolean): unknown {
    if (before == null) return value === undefined ? before : value;
    if (value == null || value === "") return before;
    if (typeof before === "string" && typeof value === "string") return isPiece ? before + value : value;
    if (Array.isArray(before) || Array.isArray(value)) {
      const list = own.list(partsOf(before));
      for (const part of partsOf(value)) list.push(part);
      return list;
    }
    if (!isJsonObject(before) || !isJsonObject(value)) return value;
    const object = own.object(before);
    merge(object, value);
    return object;
  }
}

/** Some services change from parts to text in the middle of a message's content. */
function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === "" ? [] : [typeof value === "string" ? { type: "text", text: value } : value];
}
