import { canonicalJson } from "../../json/canonical.ts";
import { createObjectEnd } from "../reading/object-end.ts";
import { isJson } from "../conversation/outgoing-call.ts";

/** The arguments of a call, assembled from the pieces of their JSON text. */
export interface ArgumentsText {
  add(piece: string): void;
  /** Like {@link add}, for a text in which {@link isRepeat} found the same object again. */
  repeat(piece: string): void;
  /**
   * The joined pieces. If these are not JSON, and each piece begins with all earlier text, the last piece: some
   * services send the whole text so far each time. Undefined if no piece arrived.
   */
  text(): string | undefined;
  /** Whether an object is complete. */
  isWhole(): boolean;
  /** Whether an object has begun and not ended. */
  isInside(): boolean;
  /** Whether the object is complete and has no members. */
  isEmpty(): boolean;
  /** Whether the text is the complete object again. */
  isRepeat(text: string): boolean;
}

export function createArgumentsText(): ArgumentsText {
  const end = createObjectEnd();
  let joined: string | undefined;
  /** Empty objects at the start, with which some services begin every call. */
  let empties = "";
  let last = "";
  let growth: "none" | "cumulative" | "pieces" = "none";
  let isKnownWhole: boolean | undefined;
  let canonical: string | undefined;
  return {
    add(piece) {
      joined = (joined ?? "") + piece;
      if (piece === "") return;
      if (last === "" && isEmptyObject(piece)) empties += piece;
      else compare(piece);
      end.add(piece);
      if (piece.trim() !== "") isKnownWhole = undefined;
    },
    repeat: (piece) => void (joined = (joined ?? "") + piece),
    text,
    isWhole,
    isInside: () => end.isInside() && !isWhole(),
    isEmpty: () => isWhole() && canonicalText() === "{}",
    isRepeat: (other) => isWhole() && isJson(other) && canonicalJson(JSON.parse(other)) === canonicalText(),
  };

  /** Canonical text of the complete object. Computed once: repetitions make the text longer each time. */
  function canonicalText(): string {
    return (canonical ??= canonicalJson(JSON.parse(text() ?? "")));
  }

  function compare(piece: string): void {
    if (growth === "pieces") return;
    if (!piece.startsWith(last)) growth = "pieces";
    else if (last !== "" && piece.length > last.length) growth = "cumulative";
    last = piece;
  }

  function text(): string | undefined {
    return growth === "cumulative" && !isJson(joined) ? empties + last : joined;
  }

  /** Evaluated once per text: the text after an object is parsed only if it is not blank. */
  function isWhole(): boolean {
    isKnownWhole ??=
      growth === "cumulative" ? last.trimEnd().endsWith("}") && isJson(last) : end.isHere() && isJson(joined);
    return isKnownWhole;
  }
}

export function isEmptyObject(text: string): boolean {
  return /^\s*\{\s*\}\s*$/.test(text);
}
