import { isJsonObject } from "../../core/json.ts";
import type { JsonObject } from "../../core/json-schema.ts";

/** What comes in pieces inside of objects. All other strings there are told whole, by some servers again and again. */
const innerPieces: ReadonlySet<string> = new Set(["arguments", "input", "data", "transcript"]);

/**
 * What was said until now, with what a delta adds: pieces of text and lists are joined, objects merged, all else is
 * replaced. null and "" say nothing where something was said. Neither object is changed.
 * @param isPiece whether the string under a key goes on from the one before
 */
export function mergeDelta(
  before: JsonObject,
  delta: JsonObject,
  isPiece: (key: string) => boolean = (key) => innerPieces.has(key),
): JsonObject {
  const merged = { ...before };
  for (const [key, value] of Object.entries(delta)) {
    // Whoever sends it means no good, and no provider does.
    if (key === "__proto__") continue;
    merged[key] = mergeValue(Object.hasOwn(before, key) ? before[key] : undefined, value, isPiece(key));
  }
  return merged;
}

function mergeValue(before: unknown, value: unknown, isPiece: boolean): unknown {
  if (before == null) return value === undefined ? before : value;
  if (value == null || value === "") return before;
  if (typeof before === "string" && typeof value === "string") return isPiece ? before + value : value;
  if (Array.isArray(before) || Array.isArray(value)) return [...partsOf(before), ...partsOf(value)];
  return isJsonObject(before) && isJsonObject(value) ? mergeDelta(before, value) : value;
}

/** Some services change from parts to text in the middle of a message's content. */
function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === "" ? [] : [typeof value === "string" ? { type: "text", text: value } : value];
}
