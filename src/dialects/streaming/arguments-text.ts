import { canonicalJson } from "../../json/canonical.ts";
import { createObjectEnd } from "../reading/object-end.ts";
import { isJson } from "../conversation/outgoing-call.ts";

/** The arguments of a call, from the pieces of their JSON text. */
export interface ArgumentsText {
  add(piece: string): void;
  /** As {@link add}, for a text that {@link isRepeat} found to be the object once more. */
  repeat(piece: string): void;
  /**
   * The joined pieces. If those are no JSON, and each piece begins with all that came before, the last piece: some services
   * send what there is until now each time. Undefined if no piece came.
   */
  text(): string | undefined;
  /** Whether all of an object is there. */
  isWhole(): boolean;
  /** Whether an object has begun and not ended. */
  isInside(): boolean;
  /** Whether it is whole and holds nothing. */
  isEmpty(): boolean;
  /** Whether the text is the object that is whole, once more. */
  isRepeat(text: string): boolean;
}

export function createArgumentsText(): ArgumentsText {
  const end = createObjectEnd();
  let joined: string | undefined;
  /** Empty objects in front, which some services begin every call with. */
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

  /** Of the object that is whole. Read once: what repeats it makes the text longer each time. */
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

  /** Asked once for a text: what comes behind an object is looked at only if it is more than space. */
  function isWhole(): boolean {
    isKnownWhole ??=
      growth === "cumulative" ? last.trimEnd().endsWith("}") && isJson(last) : end.isHere() && isJson(joined);
    return isKnownWhole;
  }
}

export function isEmptyObject(text: string): boolean {
  return /^\s*\{\s*\}\s*$/.test(text);
}
