import { isJsonObject, type JsonObject, safeEntries } from "../../json/object.ts";
import { createOwn } from "./owned.ts";

/**
 * Adds a delta to the earlier deltas: pieces of text and lists are joined, objects are merged, all other values are
 * replaced. null and "" do not replace a known value. Modifies the target, but never an object of a delta.
 * @param isPiece whether the string under a key continues the earlier one
 */
export type MergeDelta = (target: JsonObject, delta: JsonObject, isPiece?: (key: string) => boolean) => void;

/** Strings inside objects that arrive in pieces. All other strings there arrive whole, from some servers repeatedly. */
const innerPieces: ReadonlySet<string> = new Set(["arguments", "input", "data", "transcript"]);
const isInnerPiece = (key: string): boolean => innerPieces.has(key);

/** One per reply: it remembers the objects that it created. */
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
