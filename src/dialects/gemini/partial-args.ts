import type { JsonObject } from "../../json/object.ts";

/** Assembles the arguments of a call from the pieces in which Vertex AI streams them. */
export interface PartialArgs {
  /**
   * @param piece `{ jsonPath, stringValue | numberValue | boolValue | nullValue, willContinue? }`, or with underscores
   * @returns false if the piece does not fit the earlier ones, or a model's arguments cannot contain it
   */
  add(piece: JsonObject): boolean;
  /** Whether all strings are complete. */
  isWhole(): boolean;
}

type Key = string | number;

/**
 * Deeper than the arguments of any tool; together with the reply around them, within the depth that JSON may have here.
 */
const maxDepth = 48;
const segment = /\.([^.[\]]+)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * Source: PartialArg of the types of @google/genai 2; its paths are normalized ones of RFC 9535, or with dots.
 * @param args is modified
 */
export function createPartialArgs(args: JsonObject): PartialArgs {
  const unfinished = new Set<string>();
  return { add, isWhole: () => unfinished.size === 0 };

  function add(piece: JsonObject): boolean {
    const { jsonPath, json_path: path = jsonPath, willContinue, will_continue: goesOn = willContinue } = piece;
    const keys = typeof path === "string" ? readPath(path) : undefined;
    const place = keys && findPlace(args, keys);
    if (typeof path !== "string" || place === undefined) return false;
    const value = valueOf(piece);
    if (!unfinished.delete(path)) {
      if (value === undefined || place.value !== undefined) return false;
      place.write(value);
    } else if (typeof value === "string") {
      place.write(String(place.value) + value);
    } else if (value !== undefined) {
      return false;
    }
    if (goesOn === true) unfinished.add(path);
    return true;
  }
}

function valueOf(piece: JsonObject): unknown {
  const { stringValue, numberValue, boolValue } = piece;
  const value = stringValue ?? numberValue ?? boolValue;
  const written = value ?? piece["string_value"] ?? piece["number_value"] ?? piece["bool_value"];
  if (written != null) return written;
  return Object.hasOwn(piece, "nullValue") || Object.hasOwn(piece, "null_value") ? null : undefined;
}

/** @returns undefined if it is not a path, names the root itself, or contains a key that arguments must not have */
function readPath(path: string): Key[] | undefined {
  const keys: Key[] = [];
  segment.lastIndex = 1;
  while (segment.lastIndex < path.length && keys.length < maxDepth) {
    const [whole, name, index, double, single] = segment.exec(path) ?? [];
    if (whole === undefined) return undefined;
    const key = index === undefined ? (name ?? readQuoted(double ?? quoteTwice(single ?? ""))) : Number(index);
    if (key === undefined || key === "__proto__") return undefined;
    keys.push(key);
    if (segment.lastIndex === path.length) return path.startsWith("$") ? keys : undefined;
  }
  return undefined;
}

/** Converts the content of a single-quoted string to that of a double-quoted JSON string. */
function quoteTwice(text: string): string {
  return `"${text.replaceAll(/\\.|"/g, (found) => (found === "\\'" ? "'" : found === '"' ? '\\"' : found))}"`;
}

function readQuoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

/**
 * Creates the objects and lists of the path. Pieces arrive in the order in which the model writes: a list has no gaps,
 * which also limits its length.
 */
function findPlace(
  root: JsonObject,
  keys: readonly Key[],
): { value: unknown; write(value: unknown): void } | undefined {
  let holder: unknown = root;
  for (const [depth, key] of keys.entries()) {
    if (!fits(holder, key)) return undefined;
    const members = holder as Record<Key, unknown>;
    const value = Object.hasOwn(members, key) ? members[key] : undefined;
    const next = keys[depth + 1];
    if (next === undefined) return { value, write: (written) => void (members[key] = written) };
    holder = value === undefined ? (members[key] = typeof next === "number" ? [] : {}) : value;
  }
  return undefined;
}

function fits(holder: unknown, key: Key): boolean {
  if (typeof holder !== "object" || holder === null) return false;
  return Array.isArray(holder) ? typeof key === "number" && key <= holder.length : typeof key === "string";
}
