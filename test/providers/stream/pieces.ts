import { isObject, type Json } from "../rules/breach.ts";

const sizes = [3, 1, 5, 2];

/** Text in the small pieces in which a model writes it; never within a character. An empty text is no piece. */
export function pieces(text: unknown): string[] {
  const letters = typeof text === "string" ? [...text] : [];
  const cut: string[] = [];
  for (let at = 0, turn = 0; at < letters.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    cut.push(letters.slice(at, at + size).join(""));
    at += size;
  }
  return cut;
}

/** One of each list, then the next of each, until all are through. */
export function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat();
}

/** A server-sent event. */
export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The fields of an object, without some of them. */
export function without(value: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** An object, or an empty one in its place. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}
