import type { Path } from "../yaml/document.ts";

/**
 * Reports what is wrong at a place. The words follow the place's name, and never repeat the value. Words that are
 * costly to make are a function, because only a few of thousands of problems are shown.
 */
export type Tell = (path: Path, problem: string | (() => string)) => void;

/** A key that is longer is cut off: it is shown once for each problem within it. */
const maxKeyLength = 200;

/** The name of a place: `auth.keys[0].sha256`. */
export function placeOf(path: Path): string {
  const name = path.reduce<string>((place, each) => {
    if (typeof each === "number") return `${place}[${each}]`;
    const token = each.length > maxKeyLength ? `${each.slice(0, maxKeyLength)}…` : each;
    return /^[\w-]+$/.test(token) ? `${place}.${token}` : `${place}[${JSON.stringify(token)}]`;
  }, "");
  return name.replace(/^\./, "");
}
