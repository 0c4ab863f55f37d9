/** What the contract says of a body: an object, JSON that is none, or nothing that can be taken. */
export type JsonVerdict = "object" | "other" | "refused";

const maxDepth = 64;
const utf8 = new TextDecoder("utf-8", { fatal: true });
const space = /[ \t\n\r]*/y;
const string = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y; // oxlint-disable-line no-control-regex
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;

class Refused extends Error {}

/**
 * Judges a body by sections 2 and 4 of the contract, from its grammar (RFC 8259) and with nothing of the service's own
 * reader: slow, plain, and a second opinion.
 */
export function judgeJson(bytes: Uint8Array): JsonVerdict {
  if (bytes.length === 0) return "object";
  try {
    const text = utf8.decode(bytes); // A byte order mark is skipped.
    const end = readValue(text, skip(text, 0), 1);
    if (skip(text, end) !== text.length) return "refused";
    return text[skip(text, 0)] === "{" ? "object" : "other";
  } catch (error) {
    if (error instanceof Refused || error instanceof TypeError) return "refused";
    throw error;
  }
}

/** @returns where the value ends */
function readValue(text: string, at: number, depth: number): number {
  const start = text[at];
  if (start === "{" || start === "[") {
    if (depth > maxDepth) throw new Refused();
    return start === "{" ? readObject(text, at, depth) : readArray(text, at, depth);
  }
  if (start === '"') return match(string, text, at);
  if (start === "t" || start === "f" || start === "n") return match(literal, text, at);
  const end = match(number, text, at);
  const token = text.slice(at, end);
  const value = Number(token);
  if (!Number.isFinite(value)) throw new Refused();
  if (/^-?\d+$/.test(token) && BigInt(token) !== BigInt(value)) throw new Refused();
  return end;
}

function readObject(text: string, start: number, depth: number): number {
  const keys = new Set<string>();
  let at = skip(text, start + 1);
  if (text[at] === "}") return at + 1;
  for (;;) {
    const end = match(string, text, at);
    const key = JSON.parse(text.slice(at, end)) as string;
    if (key === "__proto__" || keys.has(key)) throw new Refused();
    keys.add(key);
    at = skip(text, end);
    if (text[at] !== ":") throw new Refused();
    at = skip(text, readValue(text, skip(text, at + 1), depth + 1));
    if (text[at] === "}") return at + 1;
    if (text[at] !== ",") throw new Refused();
    at = skip(text, at + 1);
  }
}

function readArray(text: string, start: number, depth: number): number {
  let at = skip(text, start + 1);
  if (text[at] === "]") return at + 1;
  for (;;) {
    at = skip(text, readValue(text, at, depth + 1));
    if (text[at] === "]") return at + 1;
    if (text[at] !== ",") throw new Refused();
    at = skip(text, at + 1);
  }
}

function skip(text: string, at: number): number {
  return match(space, text, at);
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  if (!pattern.test(text)) throw new Refused();
  return pattern.lastIndex;
}
