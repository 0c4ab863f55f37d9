import { backslash, closeBrace as close, endOfString, openBrace as open, quote } from "../../json/text.ts";

/** Finds the end of the JSON object at the start of a text. The text arrives in pieces, and each piece is read once. */
export interface ObjectEnd {
  add(piece: string): void;
  /** Whether the text so far ends with the last brace of its object, or with white space after it. */
  isHere(): boolean;
  /** Whether the object has begun and not ended. */
  isInside(): boolean;
}

export function createObjectEnd(): ObjectEnd {
  const scan = createScan();
  return {
    add(piece) {
      for (let place = 0; place < piece.length && scan.state !== "nowhere"; place++) scan.step(piece.charCodeAt(place));
    },
    isHere: () => scan.state === "behind",
    isInside: () => scan.state === "inside",
  };
}

/**
 * @returns the index after the object that begins at `from`, or after white space there; undefined if no object begins
 * there or it has no end
 */
export function endOfObject(text: string, from: number): number | undefined {
  let place = from;
  while (isSpace(text.charCodeAt(place))) place++;
  if (text.charCodeAt(place) !== open) return undefined;
  let depth = 0;
  for (; place < text.length; place++) {
    const char = text.charCodeAt(place);
    if (char === quote) place = endOfString(text, place);
    else if (char === open) depth++;
    else if (char === close && --depth === 0) return place + 1;
  }
  return undefined;
}

interface Scan {
  readonly state: "before" | "inside" | "behind" | "nowhere";
  step(char: number): void;
}

function createScan(): Scan {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  const scan = { state: "before" as Scan["state"], step };
  return scan;

  function step(char: number): void {
    if (isInString) {
      isInString = isEscaped || char !== quote;
      isEscaped = !isEscaped && char === backslash;
    } else if (isSpace(char)) {
      return;
    } else if (scan.state !== "inside") {
      scan.state = scan.state === "before" && char === open ? "inside" : "nowhere";
      depth = 1;
    } else if (char === quote) isInString = true;
    else if (char === open) depth++;
    else if (char === close && --depth === 0) scan.state = "behind";
  }
}

function isSpace(char: number): boolean {
  return char === 0x20 || char === 0x09 || char === 0x0a || char === 0x0d;
}
