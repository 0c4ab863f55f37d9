import { type Dirent, type Stats, statSync } from "node:fs";

/**
 * A mark that distinguishes a file from a later one with the same name, without reading it. The time of its content is
 * not enough: `rsync -t` and `tar --mtime` set it. Empty if it is not a file.
 */
export function markOf(stats: Stats): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = stats;
  return stats.isFile() ? `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}` : "";
}

/** @returns the mark of a file as it is now, empty if there is none */
export function markOfFile(path: string | undefined): string {
  try {
    return path === undefined ? "" : markOf(statSync(path));
  } catch {
    return "";
  }
}

/** A mark of the names in a folder, which changes if they change, or if a name is another kind of thing. */
export function namesMarkOf(entries: readonly Dirent[]): string {
  const visible = entries.filter(({ name }) => isVisible(name));
  return visible
    .map((entry) => `${entry.name}${entry.isFile() ? "" : "/"}`)
    .sort()
    .join("/");
}

/** Marks of several reads. What changed between them has a mark that no file has. */
export function joinMarks(
  reads: Iterable<Iterable<readonly [path: string, mark: string | undefined]>>,
): Map<string, string | undefined> {
  const marks = new Map<string, string | undefined>();
  for (const read of reads) {
    for (const [path, mark] of read) marks.set(path, marks.has(path) && marks.get(path) !== mark ? "?" : mark);
  }
  return marks;
}

/** Whether a file or folder of this name can contain a tool. */
export function isVisible(name: string): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}
