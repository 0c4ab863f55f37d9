/** Finds where the JSON object ends that a text begins with. The text comes in pieces, and none of it is looked at twice. */
export interface ObjectEnd {
  add(piece: string): void;
  /** Whether the text until now ends with the last brace of its object, or with space behind it. */
  isHere(): boolean;
}

export function createObjectEnd(): ObjectEnd {
  let state: "before" | "inside" | "behind" | "nowhere" = "before";
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  return {
    add(piece) {
      for (let place = 0; place < piece.length && state !== "nowhere"; place++) step(piece.charAt(place));
    },
    isHere: () => state === "behind",
  };

  function step(char: string): void {
    if (isInString) {
      isInString = isEscaped || char !== '"';
      isEscaped = !isEscaped && char === "\\";
    } else if (" \t\n\r".includes(char)) {
      return;
    } else if (state !== "inside") {
      state = state === "before" && char === "{" ? "inside" : "nowhere";
      depth = 1;
    } else if (char === '"') isInString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) state = "behind";
  }
}
