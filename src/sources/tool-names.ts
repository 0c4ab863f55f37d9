import { createHash } from "node:crypto";

const hashedStart = 55;

/** The beginning that all names of a source's tools have. */
export function toolPrefix(source: string): string {
  return toLegal(`${source}_`).slice(0, hashedStart);
}

/** The names of a source's tools, in the order of the originals `<source name>_<its name>`; each differs from the others. */
export function toolNames(originals: readonly string[]): string[] {
  const names = originals.map((original) => {
    const legal = toLegal(original);
    return legal.length > 64 ? shorten(legal, original) : legal;
  });
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, index) => {
    const original = originals[index] ?? "";
    return (counts.get(name) ?? 0) > 1 ? shorten(toLegal(original), original) : name;
  });
}

function toLegal(original: string): string {
  return original.replace(/[^A-Za-z0-9_-]/g, "_");
}

function shorten(legal: string, original: string): string {
  return `${legal.slice(0, hashedStart)}_${createHash("sha256").update(original).digest("hex").slice(0, 8)}`;
}
