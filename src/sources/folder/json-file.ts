/** @throws Error with the line and column if the text is not JSON, or contains a key twice in one object */
export function parseJsonFile(file: string, text: string): unknown {
  // As RFC 8259 allows: editors of some systems write a byte order mark.
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (json.trim() === "") throw new Error(`${file} is empty`);
  const { fault, repeated } = scanJson(json);
  if (fault !== undefined) throw new Error(`${file} is not valid JSON at ${placeIn(json, fault)}`);
  if (repeated !== undefined) {
    const key = JSON.stringify(repeated.key.slice(0, 100));
    throw new Error(`${file} has the key ${key} twice in one object, at ${placeIn(json, repeated.at)}`);
  }
  return JSON.parse(json);
}

interface JsonScan {
  /** Where the text stops being JSON. */
  readonly fault?: number;
  readonly repeated?: { readonly key: string; readonly at: number };
}

const string = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const space = /[ \t\n\r]*/y;

class Fault extends Error {}

/** Searches for faults that JSON.parse does not report, or reports differently in each version of Node. */
function scanJson(text: string): JsonScan {
  let at = 0;
  let repeated: JsonScan["repeated"];
  try {
    scanValue();
    take(space);
    if (at < text.length) throw new Fault();
    return repeated === undefined ? {} : { repeated };
  } catch (error) {
    // Nested so deeply that the stack ends: JSON.parse decides.
    if (!(error instanceof Fault)) return {};
    return { fault: at };
  }

  function scanValue(): void {
    take(space);
    if (text[at] === "{") return scanMembers("}", scanMember);
    if (text[at] === "[") return scanMembers("]", scanValue);
    if (take(string) === undefined && take(scalar) === undefined) throw new Fault();
  }

  function scanMembers(end: string, scanOne: (keys: Set<string>) => void): void {
    const keys = new Set<string>();
    at++;
    take(space);
    if (text[at] === end) return void at++;
    for (;;) {
      scanOne(keys);
      take(space);
      if (text[at] === end) return void at++;
      if (text[at] !== ",") throw new Fault();
      at++;
    }
  }

  function scanMember(keys: Set<string>): void {
    take(space);
    const start = at;
    const literal = take(string);
    if (literal === undefined) throw new Fault();
    const key = JSON.parse(literal) as string;
    if (keys.has(key)) repeated ??= { key, at: start };
    keys.add(key);
    take(space);
    if (text[at] !== ":") throw new Fault();
    at++;
    scanValue();
  }

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }
}

function placeIn(text: string, at: number): string {
  const lines = text.slice(0, at).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
