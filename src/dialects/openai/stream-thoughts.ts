import { isJsonObject, type JsonObject, safeEntries } from "../../json/object.ts";
import { isPresent } from "../streaming/present.ts";

/** Fields of a message that contain thoughts. Providers require them back as sent, including signatures. */
export const thoughtFields: ReadonlySet<string> = new Set(["reasoning_details", "thinking_blocks"]);

/** Assembles the entries of such a field from their streamed fragments. */
export interface Thoughts {
  /** @param fragments those of one chunk */
  add(fragments: readonly unknown[]): void;
  /** The entries as in a reply that is not streamed. */
  end(): unknown[];
}

/** Fields that arrive in pieces. All others arrive whole, from some services with each fragment. */
const pieces: ReadonlySet<string> = new Set(["text", "summary", "data", "thinking"]);
/** Types that arrive whole, one after the other, with nothing that distinguishes the entries. */
const wholeTypes: ReadonlySet<unknown> = new Set(["redacted_thinking"]);

/**
 * An entry has one type, index and id, if they are sent; without an index, a signature ends it. Source:
 * openrouter.ai/docs/use-cases/reasoning-tokens (`reasoning_details`), and `thinking_blocks` of LiteLLM.
 */
export function createThoughts(): Thoughts {
  const entries: unknown[] = [];
  /** The latest entry, by each of the keys that can find it. */
  const latest = new Map<string, JsonObject>();
  return { add, end };

  function add(fragments: readonly unknown[]): void {
    const inChunk = new Set<unknown>();
    for (const fragment of fragments) {
      if (!isJsonObject(fragment)) {
        entries.push(fragment);
        continue;
      }
      // No service splits an entry within a chunk: without an index they are two entries.
      const open = findOpen(fragment).find((entry) => isPresent(fragment["index"]) || !inChunk.has(entry));
      const entry = open ?? {};
      if (open === undefined) entries.push(entry);
      inChunk.add(entry);
      write(entry, fragment);
      for (const key of keysOf(entry)) latest.set(key, entry);
    }
  }

  function findOpen(fragment: JsonObject): JsonObject[] {
    const found = keysOf(fragment).map((key) => latest.get(key));
    return found.filter((entry) => entry !== undefined).filter((entry) => goesOn(entry, fragment));
  }

  /** By index, if all have one. */
  function end(): unknown[] {
    const placed = entries.map((entry) => [isJsonObject(entry) ? entry["index"] : undefined, entry] as const);
    return placed.every(([index]) => Number.isFinite(index))
      ? placed.toSorted(([one], [other]) => Number(one) - Number(other)).map(([, entry]) => entry)
      : [...entries];
  }
}

/** The keys of an entry, the most reliable first. */
function keysOf({ index, id, type }: JsonObject): string[] {
  const byId = isPresent(id)
    ? [
        ["id", id, type],
        ["id", id],
      ]
    : [];
  if (!isPresent(index)) return [...byId, ["last"]].map((key) => JSON.stringify(key));
  const byIndex = [
    ["index", index, type, id],
    ["index", index, type],
    ["index", index],
  ];
  return [...byIndex, ...byId, ["last"]].map((key) => JSON.stringify(key));
}

function goesOn(entry: JsonObject, fragment: JsonObject): boolean {
  if (!["index", "type", "id", "signature"].every((key) => isCompatible(entry[key], fragment[key]))) return false;
  if (isPresent(fragment["index"])) return isPresent(entry["index"]) || entry["signature"] === undefined;
  const isOver = isPresent(entry["signature"]) && [...pieces].some((key) => isPresent(fragment[key]));
  return !wholeTypes.has(entry["type"]) && (!isOver || isPresent(fragment["signature"]));
}

function isCompatible(before: unknown, now: unknown): boolean {
  return !isPresent(before) || !isPresent(now) || before === now;
}

function write(entry: JsonObject, fragment: JsonObject): void {
  for (const [key, value] of safeEntries(fragment)) {
    const before = Object.hasOwn(entry, key) ? entry[key] : undefined;
    if (pieces.has(key) && typeof before === "string" && typeof value === "string") entry[key] = before + value;
    else if (!isPresent(before) || isPresent(value)) entry[key] = value;
  }
}
